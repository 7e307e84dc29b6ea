import assert from "node:assert/strict";
import { test } from "node:test";
import { summary } from "./summary.ts";

const app = { name: "com.example.notes", version: "1.0.0", state: "RUNNING" };
const input = {
  notes: [],
  more: 0,
  httpUrl: "http://127.0.0.1:18080",
  grpcUrl: "http://127.0.0.1:19090",
  users: [{ displayName: "Ada Admin", about: "has every permission" }],
  logFile: ".appserver/server.log",
  hasConsole: true,
};

test("the final output of npm start fits a terminal of 80 columns", () => {
  const failed = { ...app, name: "hello", state: "FAILED", lastError: { message: "no image" } };
  const text = summary({ ...input, apps: [app, failed] });
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
  assert.match(text, /^com\.example\.notes {2}1\.0\.0 {2}RUNNING\nhello {14}1\.0\.0 {2}FAILED\nhello does not run: no image$/m);
  assert.match(text, /^Open http:\/\/127\.0\.0\.1:18080 and sign in as\n {2}Ada Admin {2}has every permission$/m);
});

test("without the console it names the page of the sign-in", () => {
  const text = summary({ ...input, hasConsole: false, apps: [app] });
  assert.match(text, /^Sign in at http:\/\/127\.0\.0\.1:18080\/dev\/login as$/m);
});

test("one address is for browsers, and it shows a page instead of code", () => {
  const addresses = summary({ ...input, apps: [app] }).match(/http:\S+/g);
  assert.deepEqual(addresses, ["http://127.0.0.1:18080"]);
});

test("what is left out stands below the table, and it says how many apps the table leaves out", () => {
  const text = summary({ ...input, apps: [app], more: 3, notes: ["examples/board is left out."] });
  assert.match(text, /RUNNING\nand 3 more\n\nexamples\/board is left out\.\n\nOpen /);
});
