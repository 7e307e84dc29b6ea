import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readConnection } from "./connection.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-kubeconfig-"));
after(() => rmSync(folder, { recursive: true }));

function kubeconfig(cluster: string, user: string, current = "apps"): string {
  const file = join(folder, "kubeconfig");
  writeFileSync(
    file,
    `current-context: ${current}
contexts: [{name: apps, context: {cluster: near, user: robot}}]
clusters: [{name: far, cluster: {server: "https://far:6443"}}, {name: near, cluster: ${cluster}}]
users: [{name: robot, user: ${user}}]
`,
  );
  return file;
}

test("the current context names the server and the credential, in the file itself or in others", () => {
  writeFileSync(join(folder, "token"), "from-file\n");
  writeFileSync(join(folder, "ca.pem"), "authority");
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  const inline = `{server: "https://near:6443/", certificate-authority-data: ${encoded("inline")}}`;
  const ofToken = readConnection(kubeconfig(inline, "{token: secret}"));
  assert.deepEqual([ofToken.server, ofToken.authority, ofToken.isUnverified], ["https://near:6443", "inline", false]);
  assert.equal(ofToken.token?.(), "secret");
  const ofFiles = readConnection(kubeconfig(`{server: "https://near", certificate-authority: ca.pem}`, "{tokenFile: token}"));
  assert.deepEqual([ofFiles.authority, ofFiles.token?.()], ["authority", "from-file"]);
  const pair = `{client-certificate-data: ${encoded("certificate")}, client-key-data: ${encoded("key")}}`;
  const ofCertificate = readConnection(kubeconfig(`{server: "https://near", insecure-skip-tls-verify: true}`, pair));
  assert.deepEqual(ofCertificate.clientCertificate, { certificate: "certificate", key: "key" });
  assert.deepEqual([ofCertificate.token, ofCertificate.isUnverified], [undefined, true]);
});

test("what a kubeconfig lacks is named", () => {
  const server = `{server: "https://near"}`;
  assert.throws(() => readConnection(kubeconfig(server, "{token: x}", "none")), /has no context "none"/);
  assert.throws(() => readConnection(kubeconfig("{}", "{token: x}")), /has no server/);
  assert.throws(() => readConnection(kubeconfig(server, "{}")), /neither a token nor a client certificate/);
});
