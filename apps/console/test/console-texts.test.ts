import assert from "node:assert/strict";
import { test } from "node:test";
import { withTexts } from "../console-texts.ts";

const german: Readonly<Record<string, string>> = {
  Apps: "Anwendungen",
  "{count, plural, one {# app} other {# apps}}": "{count, plural, one {# Anwendung} other {# Anwendungen}}",
  "Open {name}": "{name} öffnen",
  "by <0/>": "durch <0/>",
};
const translated = (code: string): string | undefined =>
  withTexts(
    code,
    (text) => german[text],
    (problem) => {
      throw new Error(problem);
    },
  )?.code;

test("a text without values becomes its translation", () => {
  assert.equal(translated('f(i18n.t("Apps"));'), 'f(i18n.t("Anwendungen"));');
  assert.equal(translated("f(other.t('Apps'));"), undefined);
});

test("texts with values become compiled messages, also within each other", () => {
  assert.equal(
    translated('i18n.t("Open {name}", { name: i18n.t("Apps") });'),
    'i18n.t("", { name: i18n.t("Anwendungen") }, { message: [["name"]," öffnen"] });',
  );
  assert.equal(
    translated('i18n.t("{count, plural, one {# app} other {# apps}}", { count });'),
    'i18n.t("", { count }, { message: [["count","plural",{"one":["#"," Anwendung"],"other":["#"," Anwendungen"]}]] });',
  );
  assert.equal(
    translated('jsx(Trans, { id: "by <0/>", components });'),
    'jsx(Trans, { id: "", message: ["durch <0/>"], components });',
  );
});

test("a text without a translation, and one that is no literal, end the build", () => {
  assert.throws(() => translated('i18n.t("Hooks");'), /the catalogue has no translation of "Hooks"/);
  assert.throws(() => translated("i18n.t(title);"), /the text in title is not a literal/);
});
