import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveApp } from "../domain/live-app.ts";
import type { AppChangeNotice } from "./live-apps.ts";
import { RouteBases } from "./route-bases.ts";

const live = (name: string, routeBase: string, state = "RUNNING", installedAt?: Date): LiveApp =>
  ({ app: { name, state, installedAt }, manifest: { webApp: { ui: { routeBase } } } }) as unknown as LiveApp;

test("covers the route bases of installed apps and what is below them", () => {
  const apps = [live("notes", "/notes"), live("board", "/team/board/"), live("idle", "/idle", "REGISTERED")];
  const bases = new RouteBases({ all: () => apps, onChange: () => () => {} });
  for (const path of ["/notes", "/notes/", "/notes/new", "/team/board", "/team/board/1"]) assert.ok(bases.covers(path), path);
  for (const path of ["", "/", "/notesque", "/team", "/team/boards", "/idle", "notes"]) assert.ok(!bases.covers(path), path);
});

test("follows changes, also if another app takes over a base", () => {
  let change: (notice: AppChangeNotice) => void = () => {};
  const bases = new RouteBases({
    all: () => [],
    onChange: (listener) => {
      change = listener;
      return () => {};
    },
  });
  const notes = live("notes", "/notes");
  change({ name: "notes", before: undefined, now: notes });
  assert.ok(bases.covers("/notes"));
  const moved = live("notes", "/moved");
  change({ name: "notes", before: notes, now: moved });
  assert.deepEqual([bases.covers("/notes"), bases.covers("/moved")], [false, true]);
  const heir = live("heir", "/moved");
  change({ name: "heir", before: undefined, now: heir });
  change({ name: "notes", before: moved, now: undefined });
  assert.ok(bases.covers("/moved"));
  change({ name: "heir", before: heir, now: live("heir", "/moved", "UNINSTALLED") });
  assert.ok(!bases.covers("/moved"));
});

test("an app that is not installed yet has no pages, and its state is known", () => {
  const apps = [
    live("new", "/new", "INSTALLING"),
    live("broken", "/broken", "FAILED"),
    live("crashed", "/crashed", "FAILED", new Date(0)),
    live("idle", "/idle", "REGISTERED"),
    live("gone", "/gone", "UNINSTALLED"),
  ];
  const bases = new RouteBases({ all: () => apps, onChange: () => () => {} });
  assert.deepEqual(bases.unserved("/new/1"), { appName: "new", state: "starting" });
  assert.deepEqual(bases.unserved("/broken"), { appName: "broken", state: "failed" });
  assert.ok(bases.covers("/crashed"));
  for (const path of ["/crashed", "/idle", "/gone", "/newer"]) assert.equal(bases.unserved(path), undefined, path);
  assert.ok(!bases.covers("/new"));
});
