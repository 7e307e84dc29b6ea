import assert from "node:assert/strict";
import { test } from "node:test";
import { AppState, ProblemSchema } from "@appserver/contracts/proto/appserver/v2/common";
import { AppSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { create } from "@bufbuild/protobuf";
import { summary } from "./summary.ts";

const app = create(AppSchema, {
  name: "com.example.notes",
  version: "1.0.0",
  state: AppState.RUNNING,
  apiUrl: "/api/apps/com.example.notes",
  entryUrl: "/apps/com.example.notes/versions/0123456789abcdef/remoteEntry.js",
});
const input = {
  notes: [],
  httpUrl: "http://127.0.0.1:18080",
  grpcUrl: "http://127.0.0.1:19090",
  users: [{ displayName: "Ada Admin", about: "has every permission" }],
  logFile: ".appserver/server.log",
  hasConsole: true,
};

test("the final output of npm start fits a terminal of 80 columns", () => {
  const failed = create(AppSchema, { ...app, state: AppState.FAILED });
  failed.lastError = create(ProblemSchema, { code: "UPSTREAM_ERROR", message: "no image" });
  const text = summary({ ...input, apps: [app, failed] });
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
  assert.match(text, /^com\.example\.notes 1\.0\.0 {2}RUNNING$/m);
  assert.match(text, /com\.example\.notes does not run: no image/);
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
