import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { notes } from "../test/recorded-apps.ts";
import { app, appctlWith, root, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

describe("a platform that requires a registration token", () => {
  const token = "registration-token-1";
  let url = "";
  let folder = "";
  let given: (string | null)[] = [];

  function admit({ requestHeader }: HandlerContext): void {
    const header = requestHeader.get("x-registration-token");
    given.push(header);
    if (header === token) return;
    const [reason, message] =
      header === null
        ? ["AUTHENTICATION_REQUIRED", "registration needs a token"]
        : ["AUTHENTICATION_FAILED", "the registration token is not valid"];
    const info = { desc: ErrorInfoSchema, value: { reason, domain: "appserver" } };
    throw new ConnectError(message ?? "", Code.Unauthenticated, undefined, [info]);
  }

  const server = createServer(
    connectNodeAdapter({
      routes: (router) =>
        router.service(MarketplaceService, {
          async registerAppStream(messages, context) {
            // Refuses after the header, as the platform does, while the client still sends its assets.
            for await (const { part } of messages) if (part.case === "header") admit(context);
            return { app: { name: notes.name }, changed: true };
          },
          validateManifest(_request, context) {
            admit(context);
            return { valid: true };
          },
        }),
    }),
  );

  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder = app("name: com.example.app\nversion: 1.0.0\nweb_app: { assets: [main.js] }\n");
    writeFileSync(join(root, "app", "main.js"), Buffer.alloc(8 * 1024 * 1024, "/"));
  });
  beforeEach(() => {
    given = [];
  });
  after(() => server.close());

  const run = (environment: Readonly<Record<string, string>>, ...args: string[]) =>
    appctlWith({ APPSERVER_GRPC_URL: url, ...environment }, ...args);
  const needed = "; APPSERVER_REGISTRATION_TOKEN or --registration-token sets the registration token";

  test("register ends at once if it is refused while it sends large assets, and names the token", {
    timeout: 30_000,
  }, async () => {
    const session = "; `appctl login` signs in, and APPSERVER_TOKEN or --token sets the session token of a user";
    for (const environment of [{}, { APPSERVER_TOKEN: "session" }, { APPSERVER_REGISTRATION_TOKEN: "" }])
      assert.deepEqual(await run(environment, "register", folder), {
        code: 1,
        stdout: "",
        stderr: `appctl: registration needs a token (AUTHENTICATION_REQUIRED)${"APPSERVER_TOKEN" in environment ? "" : session}${needed}\n`,
      });
    assert.deepEqual(given, [null, null, null]);
  });

  test("an invalid token is refused without a hint at the session", { timeout: 30_000 }, async () => {
    const { code, stderr } = await run({ APPSERVER_REGISTRATION_TOKEN: "wrong" }, "register", folder);
    assert.deepEqual([code, stderr], [1, "appctl: the registration token is not valid (AUTHENTICATION_FAILED)\n"]);
  });

  test("register and validate take the token from the flag or else from the environment", { timeout: 30_000 }, async () => {
    const environment = { APPSERVER_REGISTRATION_TOKEN: token };
    assert.equal((await run(environment, "register", folder)).stdout, "com.example.notes 1.0.0 registered\n");
    assert.equal((await run(environment, "validate", folder)).code, 0);
    const other = { APPSERVER_REGISTRATION_TOKEN: "wrong" };
    assert.equal((await run(other, "register", folder, "--registration-token", token)).code, 0);
    assert.equal((await run(other, "validate", folder, "--registration-token", token)).code, 0);
    assert.deepEqual(given, [token, token, token, token]);
  });

  test("validate without credentials names both that it accepts", { timeout: 30_000 }, async () => {
    const { code, stderr } = await run({}, "validate", folder);
    const hints = `\`appctl login\` signs in, and APPSERVER_TOKEN or --token sets the session token of a user${needed}`;
    assert.deepEqual([code, stderr], [1, `appctl: registration needs a token (AUTHENTICATION_REQUIRED); ${hints}\n`]);
  });

  test("the help names the variable, and does not print its value", async () => {
    for (const args of [["--help"], ["register", "--help"], ["validate", "--help"]]) {
      const { stdout } = await run({ APPSERVER_REGISTRATION_TOKEN: token }, ...args);
      assert.match(stdout, /APPSERVER_REGISTRATION_TOKEN/, args.join(" "));
      assert.doesNotMatch(stdout, new RegExp(token));
    }
  });
});
