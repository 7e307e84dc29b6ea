import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { imageReference, imageReferenceProblem } from "@appserver/contracts/names";
import fc from "fast-check";

interface Case {
  readonly text: string;
  readonly isValid: boolean;
}

interface Corpus {
  readonly reference_test: readonly { readonly input: string; readonly err: string | null }[];
  readonly regexp_test: readonly { readonly input: string; readonly match: boolean }[];
}

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const file = join(corpora, "docker-reference", "cases.json");

/** The published grammar (distribution/reference), implemented a second time and checked against the corpus below. */
const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const label = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const name = `(?:${domain}/)?${component}(?:/${component})*`;
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const anchored = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const reference = anchored(`(${name})(?::[\\w][\\w.-]{0,127})?(?:@(${digest}))?`);

function isReference(text: string): boolean {
  const [, repository = "", pinned] = reference.exec(text) ?? [];
  const path = repository.replace(anchored(`(?:(${domain})/)?(.*)`), "$2");
  // The grammar allows any algorithm. The published tests support only this one and refuse sha512 as unavailable.
  const isDigest = pinned === undefined || /^sha256:[0-9a-f]{64}$/.test(pinned);
  return repository !== "" && path.length <= 255 && isDigest;
}

/** A Go expression of string literals and `strings.Repeat`, joined by plus signs. */
function readGo(expression: string): string {
  const term = /strings\.Repeat\(("(?:[^"\\]|\\.)*"), (\d+)\)|"(?:[^"\\]|\\.)*"/g;
  return [...expression.matchAll(term)]
    .map(([literal, repeated, times]) => (repeated ? JSON.parse(repeated).repeat(Number(times)) : JSON.parse(literal)))
    .join("");
}

/** Cases whose expression spans several lines in the source. The corpus has only the first line. */
const truncated = ["domain/", "example.com/"];

function readCorpus(): Record<"parsed" | "domains" | "names" | "references", Case[]> & { all: number } {
  const { reference_test, regexp_test } = JSON.parse(readFileSync(file, "utf8")) as Corpus;
  const parse = reference_test.map(({ input, err }): Case => ({ text: readGo(input), isValid: err === null }));
  const regexps = regexp_test.map(({ input, match }): Case => ({ text: readGo(input), isValid: match }));
  // The corpus joins the tables of several tests, and each tests something else. The later ones of reference_test test
  // canonical names and names without tags, the last of regexp_test tests image ids. None of these tests references.
  const endOfParse = parse.findIndex(({ text }, index) => index > 9 && text === "");
  const startOfNames = regexps.findIndex(({ text }) => text === "");
  const startOfReferences = regexps.findIndex(({ text }) => text === "registry.com:8080/myapp:tag");
  const startOfIds = regexps.findIndex(({ text }) => /^[0-9a-f]{64}$/.test(text));
  return {
    parsed: parse.slice(0, endOfParse).filter(({ text }) => !truncated.includes(text)),
    domains: regexps.slice(0, startOfNames),
    names: regexps.slice(startOfNames, startOfReferences),
    references: regexps.slice(startOfReferences, startOfIds),
    all: parse.length + regexps.length,
  };
}

function isAccepted(registry: string, appName: string, stage: string): boolean {
  return imageReferenceProblem({ registry, appName, stage }) === undefined;
}

/** Returns whether our validators could produce this reference. */
function couldBeOurs(text: string): boolean {
  const colon = text.lastIndexOf(":");
  const slash = text.slice(0, Math.max(colon, 0)).lastIndexOf("/");
  return colon !== -1 && isAccepted(text.slice(0, Math.max(slash, 0)), text.slice(slash + 1, colon), text.slice(colon + 1));
}

if (!existsSync(file)) {
  test("image references of distribution/reference", { skip: "corpora absent" });
} else {
  const corpus = readCorpus();
  const { parsed, domains, names, references } = corpus;

  test("the corpus is complete, and the grammar here gives the published results", () => {
    assert.deepEqual([corpus.all, parsed.length, domains.length, names.length, references.length], [162, 46, 18, 57, 10]);
    for (const { text, isValid } of parsed) assert.equal(isReference(text), isValid, text);
    for (const { text, isValid } of references) assert.equal(reference.test(text), isValid, text);
    for (const { text, isValid } of domains) assert.equal(anchored(domain).test(text), isValid, text);
    for (const { text, isValid } of names) assert.equal(anchored(name).test(text), isValid, text);
  });

  test("no invalid case passes our validators as a reference, a name, a stage or a registry", () => {
    for (const { text } of [...parsed, ...domains, ...names, ...references].filter(({ isValid }) => !isValid)) {
      assert.ok(!couldBeOurs(text), `as a reference: ${text}`);
      assert.ok(!isAccepted("localhost", text, "latest"), `as a name: ${text}`);
      assert.ok(!isAccepted("localhost", "app", text), `as a stage: ${text}`);
      // A bare address is not a reference, but it is a registry.
      assert.ok(
        !isAccepted(text, "app", "latest") || /^\[[0-9a-f:]+\](:5000)?$/.test(text) || text === "",
        `as a registry: ${text}`,
      );
    }
  });

  test("every input that our validators accept is a valid reference", () => {
    const texts = [...parsed, ...domains, ...names, ...references].map(({ text }) => text);
    const pieces = fc.array(
      fc.constantFrom("a", "0", "Z", ".", "_", "__", "-", "--", ":", "/", "@", "[", "]", "5000", "localhost", "\n", " ", "ü"),
      { maxLength: 12 },
    );
    const text = fc.oneof(
      fc.constantFrom(...texts),
      pieces.map((parts) => parts.join("")),
      fc.string({ maxLength: 80 }),
    );
    const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
    const likelyName = fc
      .tuple(word, fc.array(fc.tuple(fc.constantFrom(".", "_", "-"), word), { maxLength: 5 }))
      .map((parts) => parts.flat(2).join(""));
    let accepted = 0;
    const property = fc.property(
      fc.oneof(text, likelyName),
      fc.oneof(text, likelyName),
      fc.constantFrom("latest", "pre-release", "testing"),
      (registry, appName, stage) => {
        if (!isAccepted(registry, appName, stage)) return;
        accepted += 1;
        assert.ok(isReference(imageReference({ registry, appName, stage })), `${registry} | ${appName} | ${stage}`);
      },
    );
    fc.assert(property, { numRuns: 20_000, seed: 20 });
    assert.ok(accepted > 1_000, `only ${accepted} of the generated inputs were accepted`);
  });
}
