import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  type EchoUpstream,
  echoUpstream,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
} from "@appserver/testing/kit";
import { createClient } from "@hey-api/openapi-ts";

const name = uniqueName("com.example.generated");

/** One function of the generated client. */
type Operation = (options: {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>;

describe("a client generated from the OpenAPI document", () => {
  let folder: string;
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let client: Readonly<Record<string, Operation>>;
  before(async () => {
    [folder, upstream, platform] = await Promise.all([
      mkdtemp(join(tmpdir(), "generated-client-")),
      echoUpstream(),
      startPlatform(),
    ]);
    const document = await send(platform.httpUrl, "/api/v2/openapi.json", { headers: platform.administrator });
    await writeFile(join(folder, "openapi.json"), document.text);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const output = join(folder, "client");
    await createClient({
      input: join(folder, "openapi.json"),
      output: { path: output, importFileExtension: ".ts" },
      plugins: ["@hey-api/typescript", "@hey-api/client-fetch", "@hey-api/sdk"],
      logs: { level: "silent" },
    });
    const configured = (await import(pathToFileURL(join(output, "client.gen.ts")).href)) as {
      readonly client: { setConfig(config: object): void };
    };
    configured.client.setConfig({ baseUrl: platform.httpUrl, headers: platform.administrator });
    client = (await import(pathToFileURL(join(output, "sdk.gen.ts")).href)) as typeof client;
  });
  after(async () => {
    await platform?.stop();
    await upstream?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (operation: string, options: Parameters<Operation>[0]): Promise<unknown> => {
    const { data, error, response } = (await client[operation]?.(options)) ?? assert.fail(`the client has no ${operation}`);
    assert.equal(error, undefined, `${operation}: ${response.status} ${JSON.stringify(error)}`);
    return data;
  };
  const ended = async (operation: string, body?: object) => {
    const data = await run(operation, { path: { id: name }, query: { wait: true }, ...(body ? { body } : {}) });
    assert.partialDeepStrictEqual(data, { done: true, error: null });
  };

  test("installs, configures, upgrades and uninstalls an app", async () => {
    const settings = { definitions: [{ key: "title", data_type: "STRING", default_value: '"none"' }] };
    const web_app = { api: { base_path: "/", upstream_base_url: upstream.url } };
    const app = await testApp({ name, settings, web_app });
    const id = (await platform.register(app)).app?.id ?? "";
    const plan = (await run("installPlan", { path: { id: name } })) as { readonly digest: string };
    await ended("installApp", { planDigest: plan.digest });
    await run("updateSettings", { path: { id }, body: { values: { title: "mine" } } });
    assert.partialDeepStrictEqual(await run("settingValue", { path: { id, key: "title" } }), { value: "mine" });
    await platform.register(await testApp({ name, version: "1.1.0", settings, web_app }, {}, app.keys));
    await ended("upgradeApp", {});
    assert.partialDeepStrictEqual(await run("app", { path: { id: name } }), { version: "1.1.0" });
    await ended("uninstallApp");
    assert.partialDeepStrictEqual(await run("deleteApp", { path: { id: name } }), { id });
    const { error, response } = (await client["app"]?.({ path: { id: name } })) ?? assert.fail();
    assert.deepEqual([response.status, (error as { readonly code: string }).code], [404, "NOT_FOUND"]);
  });
});
