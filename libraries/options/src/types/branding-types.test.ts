import assert from "node:assert/strict";
import { test } from "node:test";
import { brandingSection } from "../sections/branding.ts";
import { accentColour, logoFile } from "./branding-types.ts";

const none = () => Buffer.alloc(0);
const expectedOf = (reading: object): string => ("expected" in reading ? String(reading.expected) : "valid");

test("an accent on which white text is not readable is refused, with a shade that is readable", () => {
  assert.deepEqual(accentColour.read("#0B7285", none), { value: "#0b7285" });
  const message = expectedOf(accentColour.read("#ffcc00", none));
  const [, shade = ""] = /its contrast is 1\.5, that of its shade (#[0-9a-f]{6}) is enough/.exec(message) ?? [];
  assert.deepEqual(accentColour.read(shade, none), { value: shade });
  for (const given of ["red", "#fff", "#12345g", "0b7285", "#0b7285;}"])
    assert.match(expectedOf(accentColour.read(given, none)), /^a colour such as/, given);
});

test("a logo is read, and its type is that of its content", () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  assert.deepEqual(
    logoFile.read("logo.txt", () => svg),
    { value: { type: "image/svg+xml", bytes: svg } },
  );
  assert.match(expectedOf(logoFile.read("logo.svg", () => Buffer.from("<html>"))), /the file is none of these/);
  assert.match(expectedOf(logoFile.read("logo.svg", () => Buffer.concat([svg, Buffer.alloc(131_072, " ")]))), /131113 bytes/);
  const missing = (): Buffer => {
    throw new Error("ENOENT: no such file");
  };
  assert.match(expectedOf(logoFile.read("logo.svg", missing)), /ENOENT/);
});

test("a name is one line without outer spaces", () => {
  const { type } = brandingSection.options.name;
  for (const name of ["Acme", "Apps of Müller & Söhne", "応用", "x".repeat(40)])
    assert.deepEqual(type.read(name, none), { value: name });
  for (const name of [" Acme", "Acme ", "a\nb", "a\u202eb", "x".repeat(41), ""])
    assert.match(expectedOf(type.read(name, none)), /at most 40/, JSON.stringify(name));
});
