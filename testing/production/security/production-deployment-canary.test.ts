import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { askGraphql, eventually, type SearchedTexts } from "@appserver/testing/kit";
import { identityFilesOf } from "../../contract/app-identity-files.ts";
import { deploymentCanarySuite, type SearchedPlatform } from "./deployment-canary-suite.ts";
import { deploymentSecrets } from "./deployment-secrets.ts";
import { WatchedOrchestrator } from "./watched-orchestrator.ts";
import { WatchedPlatform } from "./watched-platform.ts";

const prepared = await WatchedPlatform.prepare();
const orchestrated = "unavailable" in prepared ? prepared : await orchestrate(prepared);

/** Releases the platform if there is no engine. */
async function orchestrate(platform: WatchedPlatform): Promise<WatchedOrchestrator | { readonly unavailable: string }> {
  const started = await WatchedOrchestrator.start(platform);
  if ("unavailable" in started) await platform.stop();
  return started;
}

async function start(): Promise<SearchedPlatform> {
  if ("unavailable" in prepared || "unavailable" in orchestrated) throw new Error("unavailable");
  const { httpUrl, grpcUrl } = prepared.server;
  const { database, instance, registrationToken } = prepared.services;
  const administrator = { authorization: `Bearer ${prepared.adminToken}` };
  const client = () => prepared.client(prepared.adminToken);
  const tables = ["table marketplace.", "table platform.audit_log"];
  const kinds = ["log", "metrics", "spans", "redis-commands", "messages", "log-chunks", ...tables];
  return {
    httpUrl,
    administrator,
    kinds: [...kinds, "container app-com.example.talker", "orchestrator-log"],
    client,
    graphql: (query, variables) => askGraphql({ httpUrl, administrator }, query, variables),
    onDatabase: (work) => work(database),
    install: async (app, folder) => {
      const { name } = app.manifest;
      await orchestrated.publish(name, folder);
      await registerApp(createPlatformClient({ grpcUrl }), app, registrationToken);
      const { marketplace } = client();
      await marketplace.installApp({ name });
      const state = async () => AppState[(await marketplace.getApp({ name })).app?.state ?? 0];
      await eventually(state, (seen) => seen === "RUNNING", { timeoutMs: 120_000, what: `${name} is RUNNING` });
    },
    secretsOf: async (appName) => {
      const container = await orchestrated.engine.inspect(`app-${appName}`);
      const files = await identityFilesOf({ httpUrl }, orchestrated.engine, appName);
      return deploymentSecrets(container?.Config.Env ?? [], files);
    },
    places: async () => ({ ...withLogChunks(await prepared.places()), ...(await orchestrated.places(instance)) }),
    isOwn: (place, appName) => new RegExp(`^container app-${appName}(-g\\d+)? `).test(place),
    isOutput: (place) => place === "log-chunks",
    stop: async () => {
      await orchestrated.stop();
      await prepared.stop();
    },
  };
}

/** Separates the lines of apps, on their way to a reader, from the other messages of the broker. */
function withLogChunks({ messages, ...places }: SearchedTexts): SearchedTexts {
  const lines = String(messages).split("\n");
  const isChunk = (line: string): boolean => line.includes('"logs.chunk.');
  return {
    ...places,
    messages: lines.filter((line) => !isChunk(line)).join("\n"),
    "log-chunks": lines.filter(isChunk).join("\n"),
  };
}

const skip = "unavailable" in orchestrated ? orchestrated.unavailable : undefined;
deploymentCanarySuite("production backends", start, skip);
