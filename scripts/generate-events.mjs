// Writes docs/events.md from the types and comments of model/events.ts, so that the catalogue of events cannot be wrong.
// `--check` writes nothing and exits 1 when the file is stale. An argument names another root than this project's (for tests).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCE = "packages/effiqueue/src/model/events.ts";
const CATALOGUE = "docs/events.md";

const INTRODUCTION = `# Events

Generated from \`${SOURCE}\` by \`node scripts/generate-events.mjs\`; change it there.

Every event is one log record with its name as \`event\` and its fields beside it. A level is the usual one.
`;

/** A comment ends with its level: `Info.`, `Warning, on change.`, `Info; warning for ...` */
const LEVEL = /(?:^|\s)((?:Debug|Info|Warning|Error)\b[^.]*)\.$/;

const commentOf = (node) =>
  (ts.getTextOfJSDocComment(node.jsDoc?.at(-1)?.comment) ?? "").replaceAll(/\s+/g, " ").trim();

function fieldsOf(type, file) {
  return type.members.map((field) => ({
    name: field.name.getText(file) + (field.questionToken ? "?" : ""),
    type: field.type.getText(file).replaceAll(/\s+/g, " "),
    note: commentOf(field),
  }));
}

function eventsOf(source) {
  const file = ts.createSourceFile(SOURCE, source, ts.ScriptTarget.ESNext, true);
  const catalogue = file.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === "EventFields");
  if (!catalogue) throw new Error(`${SOURCE}: no interface EventFields`);
  return catalogue.members.map((event) => {
    const name = event.name.text;
    const comment = commentOf(event);
    if (comment === "") throw new Error(`${SOURCE}: ${name} has no comment; say when it happens`);
    if (!ts.isTypeLiteralNode(event.type)) throw new Error(`${SOURCE}: ${name} does not list its fields in place`);
    const level = LEVEL.exec(comment)?.[1];
    const meaning = level === undefined ? comment : comment.slice(0, -level.length - 1).trim();
    return { name, level, meaning, fields: fieldsOf(event.type, file) };
  });
}

const cell = (text) => text.replaceAll("|", "\\|");

function page(events) {
  const sections = events.map(({ name, level, meaning, fields }) => {
    const rows = fields.map((field) => `| \`${field.name}\` | \`${cell(field.type)}\` | ${cell(field.note)} |`);
    const head = [
      `## \`${name}\``,
      "",
      ...(level === undefined ? [] : [`Level: ${level.toLowerCase()}.`, ""]),
      meaning,
    ];
    return [...head, "", "| field | type | |", "| --- | --- | --- |", ...rows, ""].join("\n");
  });
  return [INTRODUCTION, ...sections].join("\n");
}

/** The whole page for the text of model/events.ts; throws on what it cannot explain to a reader. */
export const catalogueOf = (source) => page(eventsOf(source));

function main(args) {
  const check = args.includes("--check");
  const given = args.find((argument) => !argument.startsWith("--"));
  const root = resolve(given ?? fileURLToPath(new URL("..", import.meta.url)));
  const target = join(root, CATALOGUE);
  const wanted = catalogueOf(readFileSync(join(root, SOURCE), "utf8"));
  if (!check) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, wanted);
  } else if (!existsSync(target) || readFileSync(target, "utf8") !== wanted) {
    console.error(`${CATALOGUE} is stale: run \`node scripts/generate-events.mjs\``);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
