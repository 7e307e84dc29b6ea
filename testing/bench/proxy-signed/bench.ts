import { randomBytes } from "node:crypto";
import { signRequest } from "@appserver/sdk";
import type { TestApp } from "@appserver/testing/kit";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { compare, type GatewayRequest, gatewayNotes, localGateway, platformNotes } from "../gateways/compare.ts";
import { startForked } from "../gateways/forked.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";

const bodyBytes = 1_024;
/** The memory for the signatures of an app is bounded, and all rounds together must not fill it. */
const requests = 4_000;

/** Compares posts that an app signs with the requests of proxy-session. */
export const bench: Bench = {
  name: "proxy-signed",
  work: `A POST of ${bodyBytes} bytes with an RSA signature of an app, to a route that needs a permission and a limit.`,
  measure,
};

function measure(options: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ platform, upstreamPort, started }) => {
    const answering = await platform();
    const calling = await answering.callingApp();
    const path = answering.path("/read");
    const session = answering.gateway("proxy-session", "/read");
    const floor = localGateway("floor", await started(startForked("floor-process.ts", upstreamPort)), "/read");
    const gateways = [
      { ...session, name: "signed", requests: (count: number) => signedPosts(count, path, calling) },
      session,
      { ...session, name: "session, POST", requests: (count: number) => posts(count, { cookie: answering.cookie }) },
      { ...floor, requests: (count: number) => posts(count, {}) },
    ];
    const { figures, cpu } = await compare(gateways, {}, options, { requests, prefix: "", status: 200 });
    const more = (name: string, target: Pick<Figure, "target">): Figure => ({
      name: `signed - ${name}`,
      unit: "µs",
      samples: cpu("signed").map((spent, round) => spent - (cpu(name)[round] ?? Number.NaN)),
      ...target,
    });
    const differences = [more("proxy-session", { target: { atMost: 25 } }), more("session, POST", {})];
    return { figures: [...figures, ...differences], notes: [...gatewayNotes(requests), ...platformNotes, ...notes] };
  });
}

function posts(count: number, headers: Readonly<Record<string, string>>): readonly GatewayRequest[] {
  return Array.from({ length: count }, () => ({ method: "POST", headers, body: randomBytes(bodyBytes) }));
}

/** Each with another body, because a signature is accepted once. */
function signedPosts(count: number, url: string, { manifest, keys }: TestApp): readonly GatewayRequest[] {
  return posts(count, {}).map(({ body = Buffer.alloc(0) }) => ({
    method: "POST",
    body,
    headers: signRequest({ appName: manifest.name, privateKey: keys.privateKey, method: "POST", url, body }),
  }));
}

const notes = [
  "signed: a new body and so a new signature (RSA, 2,048 bits) for each request, made before the batch; the platform remembers each in its memory.",
  "proxy-session: GET with a session, as in the bench of that name. session, POST: the body of the signed request, with a session.",
  "floor: forwards the same body.",
];
