import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parsePoFile } from "@lingui/format-po";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import { untranslatedIn } from "./untranslated.ts";

const web = new URL("../web/", import.meta.url).pathname;

describe("the texts of the console", () => {
  it("are all in the catalogues", () => {
    const modules = globSync(["**/*.tsx", "**/*.ts"], { cwd: web }).filter((path) => !/^generated|\.d\.ts$/.test(path));
    assert.ok(modules.length > 100, "the modules of the console are found");
    assert.deepEqual(
      modules.flatMap((path) => untranslatedIn(web + path)),
      [],
      "take these texts by i18n.t or Trans",
    );
  });

  it("have a German translation with the same values", () => {
    const { items } = parsePoFile(readFileSync(`${web}locales/de.po`, "utf8"));
    assert.ok(items.length > 500, "the catalogue has texts");
    const wrong = items.filter(({ msgid, msgstr }) => valuesOf(msgid) !== valuesOf(msgstr.join("")));
    assert.deepEqual(
      wrong.map(({ msgid }) => msgid),
      [],
    );
  });
});

/** Returns the names of the values and the elements of a message. */
function valuesOf(message: string): string {
  const names = new Set<string>();
  const collect = (tokens: unknown): void => {
    if (typeof tokens === "string") for (const [tag] of tokens.matchAll(/<\/?\d+\/?>/g)) names.add(tag);
    if (!Array.isArray(tokens)) return;
    for (const token of tokens) {
      if (!Array.isArray(token)) collect(token);
      else {
        names.add(String(token[0]));
        for (const part of Object.values((token[2] ?? {}) as object)) collect(part);
      }
    }
  };
  collect(compileMessage(message));
  return message === "" ? "no translation" : [...names].sort().join(" ");
}
