import assert from "node:assert/strict";
import { it } from "node:test";
import { translated } from "../web/features/hosting/translated.ts";

it("shows an app with the texts that its manifest has in the language, and the others as they are", () => {
  const app = {
    name: "com.example.notes",
    displayName: "Notes",
    description: "Short notes",
    translations: { de: { displayName: "Notizen", description: null, titles: { Notes: "Notizen", Old: "Alte" } } },
    navigation: [{ title: "Notes", children: [{ title: "Old" }, { title: "toString" }] }],
  };
  assert.deepEqual(translated(app, "de"), {
    ...app,
    displayName: "Notizen",
    navigation: [{ title: "Notizen", children: [{ title: "Alte" }, { title: "toString" }] }],
  });
  assert.equal(translated(app, "en"), app);
});
