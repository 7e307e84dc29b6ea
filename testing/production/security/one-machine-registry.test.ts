import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { eventually, type HttpAnswer, type HttpRequest, send } from "@appserver/testing/kit";
import { completeAccount, logInToAccounts, UpProcess } from "@appserver/testing/kit/production";
import { removeDataFolder } from "../../kit/remove-data-folder.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const account = { email: "ada@example.test", name: "Ada Admin", password: "a horse is no battery" };
const mebibyte = 1_024 * 1_024;
const [own, other] = ["com.example.own", "com.example.other"];

function digestOf(bytes: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** The cases of services/registry/test/hostile-requests.test.ts that depend on how `up` composes the registry (docs/interface/registry.md). */
describe("pushes to a platform of one machine", () => {
  const ends = new AsyncDisposableStack();
  let up: UpProcess;
  let urls: readonly string[] = [];
  /** Credentials of the administrator, of a pusher and of an account without `app:register`. */
  const tokens = { admin: "", pusher: "", viewer: "" };
  type Pusher = keyof typeof tokens;

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "appserver-up-pushes-"));
    ends.defer(() => removeDataFolder(dataDir));
    up = await UpProcess.create(dataDir, {
      APPSERVER_CONTAINERS_DRIVER: "process",
      APPSERVER_ALLOW_PROCESSES: "true",
      APPSERVER_REGISTRY_MAX_LAYER_SIZE: "1MiB",
      APPSERVER_REGISTRY_MAX_APP_SIZE: "3MiB",
    });
    ends.defer(async () => void (await up.stop()));
    up.start();
    await up.ready();
    urls = [up.httpUrl, `http://${up.internalAddress}`];
    await completeAccount(await up.administratorLink(), account);
    tokens.admin = await logInToAccounts(up.httpUrl, account);
    tokens.pusher = await serviceAccount("pusher", "app:register");
    tokens.viewer = await serviceAccount("viewer", "app:view");
  });
  after(() => ends.disposeAsync());

  async function serviceAccount(name: string, permission: string): Promise<string> {
    const platform = { APPSERVER_HTTP_URL: up.httpUrl, APPSERVER_TOKEN: tokens.admin };
    const args = ["--json", "service-accounts", "create", name, "--permission", permission];
    const { stdout } = await run(process.execPath, [appctl, ...args], {
      env: { PATH: dirname(process.execPath), ...platform },
    });
    return (JSON.parse(stdout) as { readonly secret: string }).secret;
  }

  const push = (pusher: Pusher, path: string, request: HttpRequest = {}, url = up.httpUrl): Promise<HttpAnswer> =>
    send(url, path, { ...request, headers: { authorization: `Bearer ${tokens[pusher]}`, ...request.headers } });
  const codeOf = ({ text }: HttpAnswer): string => (JSON.parse(text) as { errors: [{ code: string }] }).errors[0].code;
  const begin = async (app = own, pusher: Pusher = "pusher"): Promise<string> => {
    const { status, headers, text } = await push(pusher, `/v2/${app}/blobs/uploads/`, { method: "POST" });
    assert.equal(status, 202, text);
    return String(headers.location).replace(/^http:\/\/[^/]+/, "");
  };
  const pushBlob = async (app: string, bytes: string): Promise<string> => {
    const digest = digestOf(bytes);
    const { status, text } = await push("pusher", `${await begin(app)}?digest=${digest}`, { method: "PUT", body: bytes });
    assert.equal(status, 201, text);
    return digest;
  };

  test("need app:register, at both ports", async () => {
    for (const url of urls) {
      assert.equal((await push("pusher", "/v2/", {}, url)).status, 200);
      for (const [method, path] of [
        ["POST", `/v2/${own}/blobs/uploads/`],
        ["PUT", `/v2/${own}/manifests/latest`],
        ["GET", `/v2/${own}/tags/list`],
      ] as const) {
        const refused = await push("viewer", path, { method }, url);
        assert.deepEqual([refused.status, codeOf(refused)], [403, "DENIED"], `${url}${path}`);
        assert.equal((await send(url, path, { method, headers: { cookie: `appserver_session=${tokens.admin}` } })).status, 401);
      }
    }
  });

  test("of an upload belong to its account and its repository", async () => {
    const location = await begin();
    const digest = digestOf("");
    for (const [pusher, path] of [
      ["admin", location],
      ["pusher", location.replace(own, other)],
      ["pusher", location.replace(/[^/?]+(?=\?|$)/, randomUUID())],
    ] as const)
      for (const method of ["GET", "PATCH", "PUT", "DELETE"]) {
        const answer = await push(pusher, `${path}?digest=${digest}`, { method });
        assert.equal(codeOf(answer), "BLOB_UPLOAD_UNKNOWN", `${method} ${path}`);
      }
    assert.equal((await push("pusher", location, { method: "DELETE" })).status, 204);
  });

  test("that are larger than a layer or an app may be are refused, and leave nothing", async () => {
    const tooLarge = await push("pusher", await begin(), { method: "PATCH", body: Buffer.alloc(mebibyte + 1) });
    assert.deepEqual([tooLarge.status, codeOf(tooLarge)], [413, "SIZE_INVALID"]);
    const statuses: number[] = [];
    for (let fill = 1; fill <= 4; fill += 1) {
      const bytes = Buffer.alloc(900_000, fill);
      const path = `/v2/com.example.large/blobs/uploads/?digest=${digestOf(bytes)}`;
      statuses.push((await push("pusher", path, { method: "POST", body: bytes })).status);
    }
    assert.deepEqual(statuses, [201, 201, 201, 403]);
  });

  test("that end early are not served, also not after the platform was killed", async () => {
    const whole = "0123456789";
    const location = await begin();
    const { hostname, port, host } = new URL(up.httpUrl);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const head = `PATCH ${location} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${tokens.pusher}\r\ncontent-length: 10`;
    socket.write(`${head}\r\n\r\n01234`);
    await eventually(() => assert.ok(readdirSync(join(up.dataDir, "registry/writing")).length > 0));
    const read = (digest: string) => push("pusher", `/v2/${own}/blobs/${digest}`);
    for (const digest of [digestOf(whole), digestOf("01234")]) assert.equal((await read(digest)).status, 404);
    await up.kill();
    socket.destroy();
    up.start();
    await up.ready();
    for (const digest of [digestOf(whole), digestOf("01234")]) assert.equal((await read(digest)).status, 404);
    const unfinished = await push("pusher", `${location}?digest=${digestOf(whole)}`, { method: "PUT", body: "abcde" });
    assert.ok(unfinished.status >= 400, unfinished.text);
    await pushBlob(own, whole);
    assert.equal((await read(digestOf(whole))).text, whole);
  });

  test("with another digest than their bytes are dropped", async () => {
    const wanted = digestOf("what was promised");
    const answer = await push("pusher", `${await begin()}?digest=${wanted}`, { method: "PUT", body: "what was sent" });
    assert.deepEqual([answer.status, codeOf(answer)], [400, "DIGEST_INVALID"]);
    for (const digest of [wanted, digestOf("what was sent")])
      assert.equal((await push("pusher", `/v2/${own}/blobs/${digest}`)).status, 404);
  });

  test("of a manifest that names blobs of another repository are refused; a mount needs the blob, and a name that is one", async () => {
    const secret = await pushBlob(other, "a layer of another app");
    const descriptor = { mediaType: "application/octet-stream", digest: secret, size: 22 };
    const mediaType = "application/vnd.oci.image.manifest.v1+json";
    const body = JSON.stringify({ schemaVersion: 2, mediaType, config: descriptor, layers: [] });
    const manifest = await push("pusher", `/v2/${own}/manifests/latest`, {
      method: "PUT",
      headers: { "content-type": mediaType },
      body,
    });
    assert.equal(codeOf(manifest), "MANIFEST_BLOB_UNKNOWN");
    assert.equal((await push("pusher", `/v2/${own}/blobs/${secret}`)).status, 404);
    const mount = (digest: string, from: string, pusher: Pusher = "pusher") =>
      push(pusher, `/v2/${own}/blobs/uploads/?mount=${digest}&from=${from}`, { method: "POST" });
    assert.equal((await mount(secret, other, "viewer")).status, 403);
    for (const from of ["..", "%2e%2e%2f..%2fpostgres", "a%2Fb", `${other}%2f..%2f${other}`])
      assert.equal(codeOf(await mount(secret, from)), "NAME_INVALID", from);
    assert.equal((await mount(digestOf("nowhere"), other)).status, 202, "an upload begins instead");
    assert.equal((await push("pusher", `/v2/${own}/blobs/${digestOf("nowhere")}`)).status, 404);
  });

  test("by paths that lead out of a repository name nothing, at both ports", async () => {
    for (const url of urls)
      for (const path of [
        "/v2/../../operator.json",
        "/v2/%2e%2e/%2e%2e/operator.json",
        `/v2/${own}/../../settings-keys.json`,
        `/v2/${own}%2f..%2f..%2fpostgres/manifests/password`,
        `/v2/${own}/manifests/..%2f..%2f..%2foperator.json`,
        `/v2/${own}/manifests/.hidden`,
        `/v2/${own}/manifests/a%00b`,
        `/v2/${own}/blobs/sha256:..%2f..%2f..%2foperator.json`,
        `/v2/${own}/blobs/sha256:${"A".repeat(64)}`,
        `/v2/${own}/blobs/uploads/..%2f..%2f..%2foperator.json`,
        `/v2/${own}\\..\\..\\operator.json`,
      ])
        for (const method of ["GET", "PUT"]) {
          const { status, text } = await push("admin", path, { method }, url);
          assert.ok(status === 400 || status === 404 || status === 405, `${method} ${url}${path}: ${status} ${text}`);
        }
    const found = readdirSync(join(up.dataDir, "registry"), { recursive: true }).map(String);
    assert.deepEqual(
      found.filter((name) => /hidden|operator|password/.test(name)),
      [],
    );
  });
});
