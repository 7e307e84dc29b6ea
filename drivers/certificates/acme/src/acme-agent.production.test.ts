import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { FakeClock, until } from "@appserver/testing/kit";
import { freePort } from "../../../../tools/services/free-port.ts";
import { type Pebble, startPebble } from "../../../../tools/services/pebble.ts";
import { AcmeAgent } from "./acme-agent.ts";
import { selfSigned } from "./self-signed.ts";

const host = "apps.example.com";
const validitySeconds = 90 * 86_400;
const folder = mkdtempSync(join(tmpdir(), "appserver-acme-"));
const tls = await selfSigned(["localhost"], Date.now());
const httpPort = await freePort();
const authority = await startPebble(join(folder, "pebble"), { httpPort, validitySeconds, tls });
const skip = "unavailable" in authority ? authority.unavailable : false;

/** docs/interface/operations.md#certificates-by-acme */
describe("certificates by ACME, of Pebble", { skip, timeout: 120_000 }, () => {
  const pebble = authority as Pebble;
  after(async () => {
    await pebble.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const agentIn = (name: string, clock: SystemClock | FakeClock, directoryUrl = pebble.directoryUrl): AcmeAgent =>
    new AcmeAgent({
      directoryUrl,
      hosts: [host, "www.apps.example.com"],
      folder: join(folder, name),
      bindAddress: "127.0.0.1",
      httpPort,
      publicOrigin: `https://${host}`,
      authorityCertificates: tls.cert,
      clock,
      logger: silentLogger,
    });

  const isSigned = async (agent: AcmeAgent): Promise<boolean> => (await agent.files.read()).issuer.includes("Pebble");

  it("a certificate that no client trusts is replaced by a signed one", async (context) => {
    const clock = new SystemClock();
    const agent = agentIn("first", clock);
    context.after(() => agent.stop());
    await agent.start();
    await until("it is signed", () => isSigned(agent));
    const certificate = await agent.files.read();
    assert.equal(certificate.subjectAltName, `DNS:${host}, DNS:www.${host}`);
    assert.ok(certificate.checkPrivateKey(createPrivateKey(await readFile(agent.files.keyFile))));
  });

  it("it is renewed after two thirds of its life, by the same account, and not at a start before", async (context) => {
    const clock = new FakeClock(Date.now());
    const agent = agentIn("renewed", clock);
    await agent.start();
    await until("it is signed", () => isSigned(agent));
    const [first, account] = [
      (await agent.files.read()).serialNumber,
      await readFile(join(folder, "renewed/account.pem"), "utf8"),
    ];
    await agent.stop();
    const again = agentIn("renewed", clock);
    context.after(() => again.stop());
    await again.start();
    await clock.advance(validitySeconds * 600);
    assert.equal((await again.files.read()).serialNumber, first);
    await clock.advance(validitySeconds * 100);
    await until("it is another one", async () => {
      // The agent looks once an hour.
      await clock.advance(3_600_000);
      return (await again.files.read()).serialNumber !== first;
    });
    assert.equal(await readFile(join(folder, "renewed/account.pem"), "utf8"), account);
  });

  it("an authority that is down is asked again later, and servers continue with what they have", async (context) => {
    const clock = new FakeClock(Date.now());
    const agent = agentIn("down", clock);
    context.after(() => agent.stop());
    await pebble.kill();
    await agent.start();
    await clock.advance(1);
    assert.equal(await isSigned(agent), false);
    await pebble.start();
    await until("it is signed", async () => {
      await clock.advance(60_000);
      return await isSigned(agent);
    });
  });
});
