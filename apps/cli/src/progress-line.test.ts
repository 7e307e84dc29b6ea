import assert from "node:assert/strict";
import { test } from "node:test";
import { progressLine } from "./progress-line.ts";

function written(isTTY: boolean, isShown = true): string {
  const parts: string[] = [];
  const line = progressLine({ isTTY, write: (text: string) => parts.push(text) > 0 } as never, { isShown });
  line.update({ stage: "pull", progress: 0.25 });
  line.update({ stage: "pull", progress: 0.5 });
  line.update({ stage: "start", progress: 0.7 });
  line.end();
  return parts.join("");
}

test("on a terminal one line is overwritten, and removed at the end", () => {
  const clear = "\r\u001b[K";
  const lines = [
    "[######------------------]  25 % pull",
    "[############------------]  50 % pull",
    "[#################-------]  70 % start",
    "",
  ];
  assert.equal(written(true), lines.map((line) => clear + line).join(""));
});

test("elsewhere each stage is a line", () => assert.equal(written(false), "pull\nstart\n"));

test("what the platform waits for is a line of its own, once, above the progress", () => {
  const shown = (isTTY: boolean): string => {
    const parts: string[] = [];
    const line = progressLine({ isTTY, write: (text: string) => parts.push(text) > 0 } as never, { isShown: true });
    for (const reason of [undefined, "exit code 1", "exit code 1", "exit code 2"])
      line.update({ stage: "start", progress: 0.5, reason });
    return parts.join("");
  };
  assert.equal(shown(false), "start\nexit code 1\nexit code 2\n");
  const bar = "\r\u001b[K[############------------]  50 % start";
  assert.equal(shown(true), `${bar}\r\u001b[Kexit code 1\n${bar}\r\u001b[Kexit code 2\n${bar}`);
});

test("with --json nothing is shown", () => assert.equal(written(false, false), ""));
