import { type ActivityHandler, createActivityWorker, createHookSubscriber, createPlatformClient } from "@appserver/sdk";
import { approvePermissions } from "./approve-permissions.ts";
import { until } from "./eventually.ts";
import { send, untilRouted } from "./http.ts";
import type { PlatformUnderTest } from "./platform-under-test.ts";
import { testApp } from "./test-app.ts";

const notes = "com.example.notes";
const noteCreated = `${notes}.created`;

/** An app that runs in the test: it starts a run of `index-note` for each new note of the sample app. */
export interface NoteIndex {
  stop(): Promise<void>;
}

/** Registers, installs and starts the app. `handler` is its activity. */
export async function startNoteIndex(
  platform: PlatformUnderTest,
  name: string,
  handler: ActivityHandler = () => "indexed",
): Promise<NoteIndex> {
  const app = await testApp({
    name,
    web_app: { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } },
    hooks: [{ hook_name: noteCreated }],
    activities: [{ name: "index-note", max_retries: 0 }],
    required_permissions: [{ scope: "hook:subscribe", resource_type: notes, reason: "Indexes notes." }],
  });
  await platform.register(app);
  await approvePermissions(platform, name);
  await platform.client().marketplace.installApp({ name });
  await untilRouted(platform.httpUrl, name);
  const connection = { grpcUrl: platform.grpcUrl, app: { name, privateKey: app.keys.privateKey } };
  const { activities } = createPlatformClient(connection);
  const worker = createActivityWorker(connection).activity("index-note", handler);
  worker.start();
  const subscriber = createHookSubscriber(connection).onHook(noteCreated, async ({ id }) => {
    await activities.triggerActivity({ activity: "index-note", idempotencyKey: id });
  });
  subscriber.start();
  // With the stream, the hooks of the sample app are permitted on every replica.
  const open = `appserver_hook_open_streams{app="${name}"`;
  const isOpen = (text: string): boolean => text.split("\n").some((line) => line.startsWith(open) && / [1-9]\d*$/.test(line));
  await until("the app receives hooks", async () => isOpen((await send(platform.httpUrl, "/metrics")).text));
  return {
    stop: async () => {
      await subscriber.stop(0);
      await worker.stop(0);
    },
  };
}
