// ESLint checks types and meaning; Biome owns the format. Every rule that is off has its reason beside it.
import tseslint from "typescript-eslint";

const PURE = [
  "packages/effiqueue/src/decide/**",
  "packages/effiqueue/src/model/**",
  "packages/effiqueue/src/simulate/**",
  "packages/effiqueue/src/units.ts",
  "packages/flexiq/src/lifecycle.ts",
];

export default tseslint.config(
  { ignores: ["**/dist/**", "**/node_modules/**", "**/fixtures/**", ".cache/**", "**/*.js", "**/*.mjs", "**/*.cjs"] },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ["./tsconfig.lint.json", "./packages/effiqueue/dashboard/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // Numbers in messages are the point of a message here.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // `() => emitter.off(...)` reads better than a block around it.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // `this: void` says that a method may be taken off its object.
      "@typescript-eslint/no-invalid-void-type": ["error", { allowAsThisParameter: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    // Lock 3 on the pure layer (DESIGN 1.5): what the language itself still offers of time, chance and I/O.
    files: PURE,
    // A comment must not unlock it.
    linterOptions: { noInlineConfig: true },
    rules: {
      "no-restricted-globals": [
        "error",
        ...["Date", "Intl", "globalThis", "Promise", "Atomics", "WeakRef", "FinalizationRegistry", "eval", "Function"],
        ...["performance", "process", "setTimeout", "console"],
      ],
      "no-restricted-properties": ["error", { object: "Math", property: "random", message: "chance is passed in" }],
      "no-restricted-syntax": [
        "error",
        { selector: ":function[async=true]", message: "the pure layer is synchronous" },
        { selector: "AwaitExpression", message: "the pure layer is synchronous" },
        { selector: "ForOfStatement[await=true]", message: "the pure layer is synchronous" },
        { selector: "ImportExpression", message: "the pure layer imports statically" },
      ],
    },
  },
);
