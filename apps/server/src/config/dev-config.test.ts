import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { ConfigError } from "@appserver/options";
import { readDevConfig } from "./dev-config.ts";

test("without options the ports, the data folder and the container driver have their defaults", () => {
  const config = readDevConfig({}, {});
  assert.equal(config.httpPort, 8080);
  assert.equal(config.grpcPort, 9090);
  assert.equal(config.dataDir, resolve(".appserver"));
  assert.equal(config.containers, "process");
});

test("all wrong values are reported at once, with name, value and expectation", () => {
  const wrong = () => readDevConfig({ containers: "vmware" }, { APPSERVER_HTTP_PORT: "http", APPSERVER_LOG_LEVEL: "loud" });
  assert.throws(wrong, (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /APPSERVER_HTTP_PORT="http"/);
    assert.match(error.message, /APPSERVER_LOG_LEVEL="loud".*debug.*info.*warn.*error/);
    assert.match(error.message, /--containers "vmware".*process.*docker/);
    return true;
  });
});
