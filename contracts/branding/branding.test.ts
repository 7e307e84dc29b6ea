import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { accentShades, contrastOf, isHexColour, logoTypeOf, minContrast, readableAccent, textContrast } from "./index.ts";

describe("the accent", () => {
  test("contrast is that of WCAG", () => {
    assert.equal(contrastOf("#000000", "#ffffff"), 21);
    assert.equal(contrastOf("#3b5bdb", "#3b5bdb"), 1);
    // https://www.w3.org/TR/WCAG22/#contrast-minimum: this grey is the lightest on white.
    assert.ok(contrastOf("#767676", "#ffffff") >= minContrast && contrastOf("#777777", "#ffffff") < minContrast);
  });

  test("the proposed shade of a colour that is too light is readable, and of its hue", () => {
    for (const colour of ["#ffcc00", "#00e5ff", "#ffffff", "#ff6b6b"] as const) {
      const shade = readableAccent(colour);
      assert.ok(textContrast(shade) >= minContrast, shade);
    }
    assert.equal(readableAccent("#0b7285"), "#0b7285");
    assert.match(readableAccent("#ffcc00"), /00$/);
  });

  test("every shade that texts have is readable in its theme", () => {
    for (const accent of ["#3b5bdb", "#0b7285", "#000000", "#c2255c", "#2b8a3e", "#767676", "#00008b"] as const) {
      const shades = accentShades(accent);
      assert.equal(shades.length, 10);
      assert.equal(shades[8], accent);
      assert.ok(shades.every(isHexColour));
      for (const index of [2, 3, 4]) assert.ok(contrastOf(shades[index] ?? "#000000", "#1e2024") >= minContrast, accent);
      assert.ok(textContrast(shades[9] ?? "#ffffff") >= minContrast, accent);
    }
  });
});

test("the type of a logo is that of its content", () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
  assert.equal(logoTypeOf(bytes("\x89PNG\r\n\x1a\n....")), "image/png");
  assert.equal(logoTypeOf(bytes("RIFF0000WEBPVP8 ")), "image/webp");
  assert.equal(
    logoTypeOf(bytes('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"/>')),
    "image/svg+xml",
  );
  for (const text of ["", "GIF89a", "<!doctype html><svg>", "<script>", "\xff\xd8\xff", "RIFF0000WAVE"])
    assert.equal(logoTypeOf(bytes(text)), undefined, text);
});
