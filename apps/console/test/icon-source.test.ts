import assert from "node:assert/strict";
import { test } from "node:test";
import { iconSource } from "../web/parts/icon-source.ts";

const svg = (inside: string, attributes = ""): string => `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inside}</svg>`;

test("SVG text is an image, and takes the colour of the text if it has none", () => {
  const plain = [
    svg('<path d="M4 4h4"/>'),
    svg('<path d="M4 4h4"/>', ' fill="none" stroke="currentColor"'),
    svg('<path style="fill: none; stroke:currentColor"/>'),
  ];
  for (const icon of plain) {
    const { url, isMask } = iconSource(icon);
    assert.equal(decodeURIComponent(url), `data:image/svg+xml,${icon}`);
    assert.ok(isMask, icon);
  }
});

test("SVG text with colours keeps them", () => {
  const coloured = [
    svg('<rect fill="#f00"/>'),
    svg('<rect fill="red"/>'),
    svg("<rect style='fill:rgb(1 2 3)'/>"),
    svg('<stop stop-color = "blue"/>'),
    svg('<image href="data:image/png;base64,AA=="/>'),
  ];
  for (const icon of coloured) assert.equal(iconSource(icon).isMask, false, icon);
});

test("data URIs and paths are images as they are", () => {
  for (const icon of ["data:image/png;base64,AAAA", "/apps/com.example.notes/assets/icon.svg"])
    assert.deepEqual(iconSource(icon), { url: icon, isMask: false });
});
