import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { testApp, untilRouted } from "@appserver/testing/kit";
import { type ProductionServices, startProductionServices } from "@appserver/testing/kit/production";
import { CountingUpstream } from "./counting-upstream.ts";
import { ReplicaGroup } from "./replica-group.ts";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

/** The kit allows loopback addresses, which all these backends have. */
describe("backends of apps on a server whose dependencies are in an allowed network", { skip }, () => {
  const services = started as ProductionServices;
  let group: ReplicaGroup;
  let upstream: CountingUpstream;

  before(async () => {
    upstream = await CountingUpstream.start();
    group = await ReplicaGroup.start(services, 1);
  });
  after(async () => {
    await group?.stop();
    await upstream?.stop();
    await services.stop();
  });

  /** Returns the response of an app with this backend to an anonymous caller. */
  const askAppAt = async (name: string, url: string, path: string): Promise<string> => {
    const app = await testApp({
      name: `test.${name}`,
      web_app: {
        api: {
          base_path: `/api/apps/test.${name}`,
          upstream_base_url: url,
          strip_base_path: true,
          routes: [{ pattern: "/**", methods: ["GET"], is_public: true }],
        },
      },
    });
    const server = group.server(0);
    await group.register(server, app);
    await group.client(server).marketplace.installApp({ name: app.manifest.name });
    const { status, text } = await untilRouted(server.httpUrl, app.manifest.name, path);
    return `${status} ${text}`;
  };

  test("an app with a backend elsewhere on this machine is served", async () => {
    assert.match(await askAppAt("honest", upstream.url, "/public"), /^200 /);
  });

  test("the platform's dependencies and its own ports are not reachable through an app", async () => {
    const { environment, kratos } = services;
    const { httpUrl, grpcUrl } = group.server(0);
    const openfga = environment["APPSERVER_OPENFGA_API_URL"] ?? assert.fail("no OpenFGA");
    const targets = {
      identities: [kratos.adminUrl, "/admin/identities"],
      sessions: [kratos.publicUrl, "/health/alive"],
      permissions: [openfga, "/healthz"],
      database: [`http://127.0.0.1:${environment["APPSERVER_DB_PORT"]}`, "/"],
      self: [httpUrl, "/health"],
      calls: [grpcUrl.replace(/^\w+:/, "http:"), "/"],
    } as const;
    for (const [name, [url, path]] of Object.entries(targets)) {
      const answered = await askAppAt(name, url, path);
      assert.match(answered, /^502 /, `${name} at ${url}: ${answered}`);
    }
    const named = kratos.adminUrl.replace("127.0.0.1", "localhost");
    assert.match(await askAppAt("named", named, "/admin/identities"), /^502 /);
  });
});
