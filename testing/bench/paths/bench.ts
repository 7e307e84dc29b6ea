import { setTimeout as sleep } from "node:timers/promises";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { registerApp } from "@appserver/sdk";
import { RunningPlatform, until } from "@appserver/testing/kit";
import { nextNotes } from "../../kit/next-notes.ts";
import { quietPort } from "../../kit/quiet-port.ts";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { Coverage } from "./coverage.ts";

const [clock, notes] = ["com.example.clock", "com.example.notes"] as const;
/** A command's work after its response, and periodic work, happen within this time. */
const windowMs = 5_000;

/** Counts the files of the project that a command passes through. */
export const bench: Bench = {
  name: "paths",
  work: "Own files with a function that runs because of one command, from its request to the end of what it causes, by V8 coverage of `appserver dev`.",
  measure,
};

interface Command {
  readonly name: string;
  readonly prepare: () => Promise<unknown>;
  readonly run: () => Promise<unknown>;
}

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const port = await quietPort();
  const platform = await RunningPlatform.start({ environment: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` } });
  try {
    const coverage = await Coverage.start(port);
    const commands = await commandsOn(platform);
    const look = () => platform.graphql("{ apps(first: 10) { edges { node { name version state } } } }");
    const paths = new Map<string, ReadonlySet<string>>();
    const idle = async (): Promise<ReadonlyMap<string, number>> => {
      await coverage.take();
      await look();
      await sleep(windowMs);
      return await coverage.take();
    };
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, prepare, run } of commands) {
        signal.throwIfAborted();
        await prepare();
        await sleep(windowMs);
        const idles = [await idle(), await idle()];
        await run();
        await look();
        await sleep(windowMs);
        const more = [...(await coverage.take())].filter(([ran, count]) => idles.every((each) => count > (each.get(ran) ?? 0)));
        const files = filesOf(more.map(([ran]) => ran));
        log(`round ${round}: ${name} ${files.size} files`);
        // The first round also runs what only first uses run.
        if (round > 0) paths.set(name, common(files, paths.get(name)));
      }
    }
    coverage.stop();
    for (const [name, files] of paths) log(`${name}:\n${[...files].sort().join("\n")}`);
    return { figures: [...paths].map(([name, { size }]) => ({ name, unit: "files", samples: [size] })), notes: facts };
  } finally {
    await platform.stop();
  }
}

async function commandsOn(platform: RunningPlatform): Promise<readonly Command[]> {
  const { marketplace } = platform.client();
  const untilRunning = (name: string, version?: string) =>
    until(`${name} runs`, async () => {
      const { app } = await marketplace.getApp({ name });
      const isExpected = version === undefined || app?.version === version;
      return isExpected && app?.state === AppState.RUNNING;
    });
  const appId = async (): Promise<string> => (await marketplace.getApp({ name: clock })).app?.id ?? "";
  const mutate = async (mutation: string, variables: object = {}): Promise<void> => {
    const { errors } = await platform.graphql(mutation, variables);
    if (errors) throw new Error(JSON.stringify(errors));
  };
  await untilRunning(notes);
  await registerApp(platform.client(), await nextNotes());
  await mutate(`mutation { approvePermissions(name: "${notes}", scopes: ["page:origin"]) { success } }`);
  let timezone = 0;
  const upgrade = async (): Promise<void> => {
    await mutate(`mutation { upgradeApp(name: "${notes}") { success } }`);
    await untilRunning(notes, "1.1.0");
  };
  const id = await appId();
  return [
    {
      name: "updateSettings",
      prepare: async () => {},
      run: () => {
        timezone += 1;
        const settings = { "clock.timezone": timezone % 2 === 0 ? "Europe/Berlin" : "Europe/Paris" };
        return mutate("mutation ($id: ID!, $settings: JSON!) { updateSettings(appID: $id, settings: $settings) { success } }", {
          id,
          settings,
        });
      },
    },
    {
      name: "installApp",
      prepare: () => mutate(`mutation { uninstallApp(name: "${clock}") { success } }`),
      run: async () => {
        await mutate(`mutation { installApp(name: "${clock}") { success } }`);
        await untilRunning(clock);
      },
    },
    {
      name: "upgradeApp",
      prepare: async () => {
        const { app } = await marketplace.getApp({ name: notes });
        if (app?.version === "1.0.0") return;
        await mutate(`mutation { rollbackApp(name: "${notes}") { success } }`);
        await untilRunning(notes, "1.0.0");
      },
      run: upgrade,
    },
  ];
}

function common(files: ReadonlySet<string>, others: ReadonlySet<string> = files): ReadonlySet<string> {
  return new Set([...files].filter((file) => others.has(file)));
}

function filesOf(functions: readonly string[]): Set<string> {
  return new Set(functions.map((ran) => ran.slice(0, ran.lastIndexOf(":"))));
}

const facts = [
  "A file counts if in every round one of its functions runs more often with the command than in the same time without it.",
  "installApp and upgradeApp include the work of the orchestrator until the container runs; code that runs while a module is loaded does not count.",
];
