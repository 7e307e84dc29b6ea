import assert from "node:assert/strict";
import { test } from "node:test";
import { type MachineCaller, Rejection } from "@appserver/kernel";
import { because, plain, Scene } from "../../../test/callers.ts";
import { keyOfMachineToken, newMachineToken } from "../../domain/machine-token.ts";

const token = newMachineToken();
const ci: MachineCaller = { kind: "machine", id: "m-1", name: "ci", tokenId: "t-1" };

function sceneWith(callers = new Map([[keyOfMachineToken(token) ?? "", ci]])) {
  let asked = 0;
  const identify = (key: string): MachineCaller => {
    asked += 1;
    const caller = callers.get(key);
    if (!caller) throw new Rejection("AUTHENTICATION_FAILED", "token_invalid", "The token is not valid.");
    return caller;
  };
  return { scene: new Scene({ machines: { identify } }), callers, asked: () => asked };
}

test("the token of a service account counts as a bearer token, and nowhere else", async () => {
  const { scene, asked } = sceneWith();
  assert.deepEqual(await scene.who(plain({ authorization: `Bearer ${token}` })), ci);
  assert.deepEqual(await scene.who(plain({ authorization: `bearer  ${token} ` })), ci);
  for (const headers of [{ cookie: `identity_session=${token}` }, { authorization: `Bearer cookie.${token}` }])
    await assert.rejects(scene.who(plain(headers)), because("session_invalid"));
  assert.deepEqual(await scene.who(plain({ authorization: `Basic ${token}` })), { kind: "anonymous" });
  assert.equal(asked(), 2);
});

test("a malformed token is refused without a look-up, and no token becomes a session", async () => {
  const { scene, asked } = sceneWith();
  const end = token.endsWith("0") ? "1" : "0";
  for (const wrong of [token.slice(0, -1) + end, "asv_", `${token}x`])
    await assert.rejects(scene.who(plain({ authorization: `Bearer ${wrong}` })), because("credentials_malformed"));
  assert.equal(asked(), 0);
  const other = plain({ authorization: `Bearer ${newMachineToken()}` });
  await assert.rejects(scene.who(other), because("token_invalid"));
  assert.equal(scene.identity.asked, 0);
});

test("a connection of a service account continues while its own token is valid", async () => {
  const { scene, callers } = sceneWith();
  const request = plain({ authorization: `Bearer ${token}` });
  const again = scene.authenticator.reauthentication(request, await scene.who(request));
  await again();
  callers.set(keyOfMachineToken(token) ?? "", { ...ci, tokenId: "t-2" });
  await assert.rejects(async () => again(), because("token_invalid"));
  callers.clear();
  await assert.rejects(async () => again(), because("token_invalid"));
});
