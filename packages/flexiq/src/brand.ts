/** A queue is known by its brand, not by its class: the application's copy of the package need not be ours. DESIGN 9. */
export const BRAND: unique symbol = Symbol.for("flexiq.queue");

export const isBranded = (value: unknown): boolean => typeof value === "object" && value !== null && BRAND in value;
