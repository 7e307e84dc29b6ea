import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Contexts } from "./contexts.ts";
import { globalOptions } from "./global-options.ts";
import { UsageError } from "./usage-error.ts";

describe("contexts", () => {
  let folder: string;
  let environment: Record<string, string>;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "appserver-contexts-"));
    environment = { XDG_CONFIG_HOME: folder };
    const contexts = new Contexts(environment);
    contexts.save("one", { http: "http://one:8080", grpc: "http://one:9090", token: "t1" });
    contexts.save("two", { http: "https://two", grpc: "https://two:9090", token: "t2", ca: "/ca.pem" });
  });
  after(() => rmSync(folder, { recursive: true }));

  test("the one in use completes the options, and another one can be named", () => {
    const json = false;
    assert.deepEqual(globalOptions({ json }, environment), {
      ...{ http: "https://two", grpc: "https://two:9090", token: "t2", ca: "/ca.pem" },
      json,
    });
    assert.equal(globalOptions({ json, context: "one" }, environment).token, "t1");
    assert.equal(globalOptions({ json }, { ...environment, APPSERVER_CONTEXT: "one" }).token, "t1");
    assert.throws(() => globalOptions({ json, context: "none" }, environment), UsageError);
    assert.throws(() => globalOptions({ json, context: "constructor" }, environment), UsageError);
  });

  test("its token is never sent to a platform that a flag or a variable names", () => {
    const elsewhere = { http: "http://127.0.0.1:8080", grpc: "http://other:9090", json: true };
    assert.deepEqual(globalOptions({ grpc: "http://other:9090", json: true }, environment), elsewhere);
    assert.deepEqual(globalOptions({ json: true }, { ...environment, APPSERVER_GRPC_URL: "http://other:9090" }), elsewhere);
  });

  test("without any, the platform of npm start is used", () => {
    const local = { http: "http://127.0.0.1:8080", grpc: "http://127.0.0.1:8080", json: false };
    assert.deepEqual(globalOptions({ json: false }, { XDG_CONFIG_HOME: join(folder, "none") }), local);
  });

  test("they are listed, chosen and removed; a broken file is named", () => {
    const contexts = new Contexts(environment);
    contexts.use("one");
    assert.deepEqual([contexts.current, contexts.all().map(([name]) => name)], ["one", ["one", "two"]]);
    contexts.remove("one");
    assert.deepEqual([contexts.current, contexts.find()], [undefined, undefined]);
    writeFileSync(contexts.file, "{");
    assert.throws(() => contexts.all(), /contexts\.json is no JSON/);
  });
});
