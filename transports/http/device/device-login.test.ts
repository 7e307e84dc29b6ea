import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { BrowserSession } from "@appserver/access";
import { type DeviceAuthorization, devicePaths, SessionKey } from "@appserver/contracts/command-line";
import { AppError, type Logger, logJson } from "@appserver/kernel";
import { FakeClock, MapCache } from "@appserver/testing/kit";
import { type Answer, send, started } from "../../test/http-listener-fixture.ts";
import { DeviceLogins, type HttpListener } from "../index.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };
/** What a browser sends with a form of the page. */
const browser = { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" };

class UnsteadyCache extends MapCache {
  isHealthy = true;

  override healthy(): boolean {
    return this.isHealthy;
  }
}

/** Keeps the lines of the listener's log. */
class LineLogger implements Logger {
  readonly lines: string[] = [];
  readonly debug = this.#add;
  readonly info = this.#add;
  readonly warn = this.#add;
  readonly error = this.#add;

  child(): Logger {
    return this;
  }

  #add(fields: object, message = ""): void {
    const write = (fields as { [logJson]?: () => string })[logJson];
    this.lines.push(`${write ? write.call(fields) : JSON.stringify(fields)} ${message}`);
  }
}

function sessionOf(id: string): BrowserSession {
  return { caller: { kind: "user", id, displayName: `Person ${id}` }, token: `cookie.secret-of-${id}` } as BrowserSession;
}

describe("the login of a device", () => {
  let listener: HttpListener;
  let clock: FakeClock;
  let cache: UnsteadyCache;
  let logins: DeviceLogins;
  let find: () => BrowserSession | undefined;
  const logger = new LineLogger();
  before(async () => {
    const signIn = { loginUrl: () => "/login", signOut: () => ({ location: "/", cookies: [] }) };
    const ofTest: Pick<DeviceLogins, "begin" | "redeem" | "find" | "decide"> = {
      begin: (...given) => logins.begin(...given),
      redeem: (...given) => logins.redeem(...given),
      find: (...given) => logins.find(...given),
      decide: (...given) => logins.decide(...given),
    };
    listener = await started({
      signIn,
      logger,
      browserSession: () => find(),
      deviceLogins: ofTest as DeviceLogins,
      trustedProxies: ["127.0.0.0/8"],
    });
  });
  after(() => listener?.stop());
  beforeEach(() => {
    clock = new FakeClock();
    cache = new UnsteadyCache(clock);
    logins = new DeviceLogins({ cache, clock });
    find = () => sessionOf("ada");
  });

  const post = (path: string, body: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
    send(listener, path, { method: "POST", headers: { ...form, ...headers } }, String(new URLSearchParams(body)));
  const visit = (code?: string, headers: Readonly<Record<string, string>> = {}) => {
    const query = code === undefined ? "" : `?${new URLSearchParams({ user_code: code })}`;
    return send(listener, devicePaths.page + query, { headers: { ...browser, ...headers } });
  };

  async function begin(key = new SessionKey(), from = "203.0.113.9"): Promise<DeviceAuthorization> {
    const { status, text } = await post(
      devicePaths.code,
      { key: key.publicKey, device: "build-1" },
      { "x-forwarded-for": from },
    );
    assert.equal(status, 200, text);
    return JSON.parse(text) as DeviceAuthorization;
  }

  async function poll({ device_code }: Pick<DeviceAuthorization, "device_code">): Promise<[number, Record<string, string>]> {
    await clock.advance(5_000);
    const { status, text } = await post(devicePaths.token, { device_code });
    return [status, JSON.parse(text) as Record<string, string>];
  }

  function ticketOf({ text }: Answer): string {
    return /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? "";
  }

  async function decide(code: string, decision: "allow" | "deny", headers: Readonly<Record<string, string>> = browser) {
    const ticket = ticketOf(await visit(code));
    return await post(devicePaths.page, { user_code: code, ticket, decision }, headers);
  }

  test("gives the session of the person who types the code, encrypted and once", async () => {
    const key = new SessionKey();
    const begun = await begin(key);
    assert.match(begun.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    assert.deepEqual([begun.expires_in, begun.interval, begun.device_code.length], [600, 5, 43]);
    assert.match(begun.verification_uri, /^http:\/\/127\.0\.0\.1:\d+\/console\/device$/);
    assert.equal(begun.verification_uri_complete, `${begun.verification_uri}?user_code=${begun.user_code}`);
    assert.deepEqual(await poll(begun), [400, { error: "authorization_pending" }]);

    const page = await visit(begun.user_code.replace("-", " ").toLowerCase());
    assert.equal(page.status, 200);
    for (const shown of [begun.user_code, "build-1", "203.0.113.9", "Person ada", "2026-01-01 00:00:00 UTC"])
      assert.ok(page.text.includes(shown), shown);
    assert.equal(page.headers["cross-origin-opener-policy"], "noopener-allow-popups");
    const allowed = await decide(begun.user_code, "allow");
    assert.deepEqual([allowed.status, allowed.headers.location], [200, undefined]);
    for (const { value } of cache.entries.values()) assert.ok(!value.includes("secret-of-ada"), "only encrypted");

    const [status, { session = "" }] = await poll(begun);
    assert.deepEqual([status, key.open(session)], [200, "cookie.secret-of-ada"]);
    assert.deepEqual(await poll(begun), [400, { error: "expired_token" }]);
    assert.equal((await visit(begun.user_code)).status, 400);
  });

  test("neither the log nor an address has a code or a session", async () => {
    const begun = await begin();
    const allowed = await decide(begun.user_code, "allow");
    const [, { session = "" }] = await poll(begun);
    assert.ok(!allowed.text.includes("secret-of-ada") && !allowed.text.includes(begun.device_code));
    const log = logger.lines.join("\n");
    assert.match(log, /\/console\/device\/token/);
    for (const secret of [begun.device_code, begun.user_code, session, "secret-of-ada"])
      assert.ok(!log.includes(secret), secret);
  });

  test("concurrent polls get one session", async () => {
    const begun = await begin();
    await decide(begun.user_code, "allow");
    await clock.advance(5_000);
    const polls = await Promise.all([1, 2, 3, 4].map(() => logins.redeem(begun.device_code, "203.0.113.9")));
    assert.equal(polls.filter((each) => "session" in each).length, 1);
  });

  test("denied is denied, and no second person decides again", async () => {
    const begun = await begin();
    const ofAda = ticketOf(await visit(begun.user_code));
    find = () => sessionOf("bob");
    assert.match((await decide(begun.user_code, "deny")).text, /does not get your session/);
    find = () => sessionOf("ada");
    const late = await post(devicePaths.page, { user_code: begun.user_code, ticket: ofAda, decision: "allow" }, browser);
    assert.equal(late.status, 400);
    assert.deepEqual(await poll(begun), [400, { error: "access_denied" }]);
    assert.deepEqual(await poll(begun), [400, { error: "expired_token" }]);
  });

  test("a poll before the interval has passed is too fast", async () => {
    const begun = await begin();
    assert.equal((await poll(begun))[1]["error"], "authorization_pending");
    const { status, text } = await post(devicePaths.token, { device_code: begun.device_code });
    assert.deepEqual([status, text], [400, '{"error":"slow_down"}']);
    assert.equal((await poll(begun))[1]["error"], "authorization_pending");
  });

  test("a code ends after ten minutes, on the page and for the device, also one that was shown", async () => {
    const begun = await begin();
    const ticket = ticketOf(await visit(begun.user_code));
    await clock.advance(600_000);
    const late = await post(devicePaths.page, { user_code: begun.user_code, ticket, decision: "allow" }, browser);
    assert.equal(late.status, 400);
    assert.equal((await visit(begun.user_code)).status, 400);
    assert.deepEqual(await poll(begun), [400, { error: "expired_token" }]);
  });

  test("a person has five tries in ten minutes, also concurrent ones, and the right code is refused after them", async () => {
    const begun = await begin();
    const wrong = await Promise.all(Array.from({ length: 20 }, (_, each) => visit(`BBBB-BB${"BCDFGHJKLMNPQRSTVWXZ"[each]}B`)));
    assert.deepEqual(wrong.map(({ status }) => status).sort(), [...Array(5).fill(400), ...Array(15).fill(429)]);
    const refused = await visit(begun.user_code);
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "600"]);
    // Another person is not affected, and the request is still there.
    find = () => sessionOf("bob");
    assert.equal((await visit(begun.user_code)).status, 200);
    find = () => sessionOf("ada");
    await clock.advance(600_000);
    const { user_code: next } = await begin();
    for (let visits = 0; visits < 8; visits += 1) assert.equal((await visit(next)).status, 200, "the right code again");
  });

  test("the page is the same for each wrong code, and for one that cannot be a code", async () => {
    const begun = await begin();
    await decide(begun.user_code, "allow");
    const texts = [begun.user_code, "BBBB-BBBB", "1", "<script>"].map(async (code) => {
      const { status, text } = await visit(code);
      assert.equal(status, 400);
      assert.ok(!text.includes("<script>"));
      return text.replace(/ value="[^"]*"/, "");
    });
    assert.equal(new Set(await Promise.all(texts)).size, 1);
  });

  test("a link of another site fills the field and uses no try", async () => {
    const begun = await begin();
    for (let links = 0; links < 10; links += 1) {
      const { status, text } = await visit(begun.user_code, { "sec-fetch-site": "cross-site" });
      assert.equal(status, 200);
      assert.ok(text.includes(`value="${begun.user_code}"`) && !text.includes("ticket"));
    }
    assert.match((await visit(begun.user_code)).text, /name="ticket"/);
  });

  test("a script allows nothing: neither reads it the ticket nor sends it the form", async () => {
    const begun = await begin();
    for (const mode of ["cors", "no-cors", "same-origin"]) {
      assert.equal((await visit(begun.user_code, { "sec-fetch-mode": mode })).status, 403);
      assert.equal((await decide(begun.user_code, "allow", { ...browser, "sec-fetch-mode": mode })).status, 403);
    }
    const elsewhere = { ...browser, origin: "https://evil.example", "sec-fetch-site": "cross-site", cookie: "a=b" };
    assert.equal((await decide(begun.user_code, "allow", elsewhere)).status, 403);
    // A form without the ticket, or with that of another person.
    const ofAda = ticketOf(await visit(begun.user_code));
    const sendForm = (ticket: string) =>
      post(devicePaths.page, { user_code: begun.user_code, ticket, decision: "allow" }, browser);
    assert.equal((await sendForm("")).status, 400);
    find = () => sessionOf("bob");
    assert.equal((await sendForm(ofAda)).status, 400);
    await visit(begun.user_code);
    assert.equal((await sendForm(ofAda)).status, 400);
    assert.deepEqual(await poll(begun), [400, { error: "authorization_pending" }]);
  });

  test("the page is for people with a session and its second factor", async () => {
    const begun = await begin();
    const back = `/console/sign-in?return_to=${encodeURIComponent(`/console/device?user_code=${begun.user_code}`)}`;
    find = () => undefined;
    assert.equal((await visit(begun.user_code)).headers.location, back);
    assert.equal((await decide(begun.user_code, "allow")).status, 401);
    find = () => ({ caller: { kind: "app", name: "com.example.notes", id: "1" }, token: "cookie.x" });
    assert.equal((await visit(begun.user_code)).headers.location, back);
    find = () => {
      throw new AppError("PERMISSION_DENIED", "a second factor is needed");
    };
    assert.equal((await visit(begun.user_code)).headers.location, `${back}&aal=aal2`);
    assert.equal((await decide(begun.user_code, "allow")).status, 403);
  });

  test("a network of strangers begins ten logins in ten minutes, and all of them a thousand", async () => {
    for (let begun = 0; begun < 10; begun += 1) await begin(new SessionKey(), `2001:db8::${begun}`);
    const body = { key: new SessionKey().publicKey, device: "x" };
    const refused = await post(devicePaths.code, body, { "x-forwarded-for": "2001:db8::ffff" });
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "600"]);
    assert.equal(refused.headers["set-cookie"], undefined);
    for (let network = 0; network < 99; network += 1)
      for (let each = 0; each < 10; each += 1) await logins.begin(body, `198.51.100.${network}`);
    await assert.rejects(logins.begin(body, "203.0.113.1"), { code: "RATE_LIMIT_EXCEEDED" });
  });

  test("a stranger's request is small, and has a key and a name without control characters", async () => {
    const { publicKey: key } = new SessionKey();
    assert.equal((await post(devicePaths.code, { key, device: "x".repeat(3_000) })).status, 413);
    for (const wrong of [{ device: "x" }, { key }, { key: "AAAA", device: "x" }, { key: "A".repeat(43), device: "x" }])
      assert.equal((await post(devicePaths.code, wrong as Record<string, string>)).status, 400, JSON.stringify(wrong));
    const device = `<b>my\u202e\n\u0000laptop</b> ${"y".repeat(100)}`;
    const json = JSON.stringify({ key, device });
    const headers = { "content-type": "application/json" };
    const { text } = await send(listener, devicePaths.code, { method: "POST", headers }, json);
    const { user_code } = JSON.parse(text) as DeviceAuthorization;
    const page = (await visit(user_code)).text;
    assert.ok(page.includes(`&lt;b&gt;my laptop&lt;/b&gt; ${"y".repeat(47)}<`), page);
  });

  test("nothing is counted or given while the shared cache does not respond", async () => {
    const begun = await begin();
    const ticket = ticketOf(await visit(begun.user_code));
    cache.isHealthy = false;
    const { publicKey: key } = new SessionKey();
    const responses = await Promise.all([
      post(devicePaths.code, { key, device: "x" }),
      post(devicePaths.token, { device_code: begun.device_code }),
      visit(begun.user_code),
      post(devicePaths.page, { user_code: begun.user_code, ticket, decision: "allow" }, browser),
    ]);
    for (const { status, headers } of responses) assert.deepEqual([status, headers["retry-after"]], [503, "5"]);
    cache.isHealthy = true;
    assert.deepEqual(await poll(begun), [400, { error: "authorization_pending" }]);
  });
});
