/** JSON text of a value; `undefined` for what JSON has no word for (functions, symbols, `undefined`). DESIGN 10.4. */
export const jsonText = (value: unknown): string | undefined => JSON.stringify(value);
