import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CommandWalk, type WalkedCommands } from "./command-walk.ts";
import type { CommitPoint } from "./commit-points.ts";
import type { AppCommand } from "./killed-commands.ts";

const app = "test.walked";

function command(name: string, from: string, to: string): AppCommand {
  return { name, app, needsProcess: false, from: [from], to, run: async () => undefined };
}

/** Every command succeeds, and has this number of commits. */
function commandsWith(commits: ReadonlyMap<string, number>, steps: string[]): WalkedCommands {
  let view = "out";
  const done = (command: AppCommand, step: string): void => {
    if (steps.push(step) > 100) throw new Error("the walk does not end");
    view = command.to;
  };
  return {
    viewOf: () => view,
    undisturbed: async (command) => {
      done(command, command.name);
      const points = Array.from({ length: commits.get(command.name) ?? 0 }, (_, index) => index + 1);
      return points.map((number): CommitPoint => ({ writes: "insert hooks.events", number }));
    },
    killedAt: async (command, [kill]) => {
      done(command, `${command.name} killed ${kill?.moment} ${kill?.number}`);
      return { isReached: true, wasAcknowledged: true, resumed: [] };
    },
  };
}

suite("a walk over commands", () => {
  test("ends when only a command that comes before a finished one has kills left", async () => {
    const steps: string[] = [];
    const killed = commandsWith(new Map([["install", 10]]), steps);
    const walk = new CommandWalk(killed, () => {});
    const cycle = [
      command("install", "out", "in"),
      command("upgrade", "in", "new"),
      command("rollback", "new", "in"),
      command("uninstall", "in", "out"),
    ];
    do await walk.walk(cycle);
    while (!walk.isOver);
    const kills = steps.filter((step) => step.includes("killed"));
    assert.ok(kills.length > 1, steps.join("; "));
    assert.ok(
      kills.every((step) => step.startsWith("install killed")),
      steps.join("; "),
    );
  });
});
