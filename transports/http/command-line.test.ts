import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserSession } from "@appserver/access";
import { SessionKey } from "@appserver/contracts/command-line";
import { AppError } from "@appserver/kernel";
import { send, started } from "../test/http-listener-fixture.ts";
import type { HttpListener } from "./index.ts";

/** What a caller over the network sees is in testing/contract/command-line.test.ts. */
describe("the page of appctl login", () => {
  let listener: HttpListener;
  let find: () => BrowserSession | undefined;
  before(async () => {
    const signIn = { loginUrl: () => "/login", signOut: () => ({ location: "/", cookies: [] }) };
    listener = await started({ signIn, browserSession: () => find() });
  });
  after(() => listener?.stop());

  const path = `/console/command-line?port=40000&state=${"s".repeat(24)}&key=${new SessionKey().publicKey}`;

  test("asks for the second factor where a session needs it", async () => {
    find = () => {
      throw new AppError("PERMISSION_DENIED", "a second factor is needed");
    };
    const { status, headers } = await send(listener, path);
    assert.equal(status, 303);
    assert.match(headers.location ?? "", /^\/console\/sign-in\?return_to=%2Fconsole%2Fcommand-line%3F.*&aal=aal2$/);
  });

  test("is for people only, and an identity provider that does not respond is an error", async () => {
    find = () => ({ caller: { kind: "app", name: "com.example.notes", id: "1" }, token: "cookie.x" });
    assert.match((await send(listener, path)).headers.location ?? "", /^\/console\/sign-in\?return_to=[^&]*$/);
    find = () => {
      throw new AppError("SERVICE_UNAVAILABLE", "sessions cannot be checked");
    };
    assert.equal((await send(listener, path)).status, 503);
  });
});
