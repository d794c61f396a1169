// Proves that DESIGN.md and the code speak of each other: every section that is cited exists, and every rule is cited by
// source and by a test. A section without a rule says so under its heading: `<!-- no rule: why -->`.
// Prints everything that is wrong and exits 1. An argument names another root than this project's (the tests use it).
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SKIPPED = new Set(["node_modules", "dist", "fixtures", ".git", ".cache", "coverage"]);
const READ = /\.(ts|mts|js|mjs|cjs|md|json|toml|yml|yaml|service)$|^run$/;

/** `DESIGN 8.5`, and lists: `DESIGN 9.3, 9.7`, `DESIGN 1.4 and 1.5`. */
const CITATION = /\bDESIGN (\d+(?:\.\d+)?(?:(?:, | and |, and |\/)\d+\.\d+)*)/g;
const HEADING = /^#{2,3} (\d+(?:\.\d+)?)\.? (.+)$/;
const NO_RULE = /^<!-- no rule: \S.* -->$/;

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() && READ.test(entry.name) ? [path] : [];
  });
}

/** Sections by number, in order; `rule` is whether it has to be cited. A heading that repeats a number is a problem. */
function sectionsOf(design, problems) {
  const sections = new Map();
  const lines = design.split("\n");
  for (const [index, line] of lines.entries()) {
    const [, number, title] = HEADING.exec(line) ?? [];
    if (number === undefined) continue;
    if (sections.has(number)) problems.push(`DESIGN.md:${index + 1}: section ${number} is there twice`);
    const firstLine = lines.slice(index + 1).find((next) => next.trim() !== "") ?? "";
    sections.set(number, { title, rule: number.includes(".") && !NO_RULE.test(firstLine) });
  }
  return sections;
}

/** What a citation in this file proves. */
function roleOf(file) {
  if (/^packages\/[^/]+\/src\//.test(file)) return "source";
  return /^(packages\/[^/]+\/)?test\/.*\.test\.ts$/.test(file) ? "test" : "other";
}

function problemsIn(root) {
  const problems = [];
  const sections = sectionsOf(readFileSync(join(root, "DESIGN.md"), "utf8"), problems);
  const cited = { source: new Set(), test: new Set(), other: new Set() };
  for (const path of filesBelow(root)) {
    const file = relative(root, path).split(sep).join("/");
    for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
      const numbers = [...line.matchAll(CITATION)].flatMap(([, list]) => list.match(/\d+(\.\d+)?/g));
      for (const number of numbers) {
        cited[roleOf(file)].add(number);
        if (!sections.has(number)) problems.push(`${file}:${index + 1}: DESIGN.md has no section ${number}`);
      }
    }
  }
  for (const [number, { title, rule }] of sections) {
    if (!rule) continue;
    if (!cited.source.has(number)) problems.push(`DESIGN ${number} (${title}): no source file cites it`);
    if (!cited.test.has(number)) problems.push(`DESIGN ${number} (${title}): no test cites it`);
  }
  return problems;
}

const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
const problems = problemsIn(root);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "Design: every citation holds." : `Design: ${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
