import assert from "node:assert/strict";
import { test } from "node:test";
import { pageLanguage } from "./page-language.ts";

const languageOf = (accepted: string | undefined, cookie?: string): string | undefined =>
  pageLanguage({ ...(accepted !== undefined && { "accept-language": accepted }), ...(cookie && { cookie }) }, ["en", "de"]);

test("the language of a page is the first one of the browser that the page has", () => {
  assert.equal(languageOf(undefined), undefined);
  assert.equal(languageOf("fr-CH, fr;q=0.9"), undefined);
  assert.equal(languageOf("de-AT,de;q=0.9,en;q=0.8"), "de");
  assert.equal(languageOf("fr, en;q=0.4, de ; q=0.8, *;q=0.1"), "de");
  assert.equal(languageOf("de;q=0, en-GB;q=0.1"), "en");
  assert.equal(languageOf("de;q=x,,;q=, EN"), "en");
});

test("a person's choice is before the browser's languages, if it is a language of the page", () => {
  assert.equal(languageOf("de", "session=s; appserver_language=en"), "en");
  assert.equal(languageOf("de", "appserver_language=../x; appserver_language=en"), "de");
  assert.equal(languageOf("de", "not_appserver_language=en"), "de");
});
