import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseTraceparent } from "@appserver/kernel";
import type { Tracer } from "@appserver/kernel/ports";

const inbound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

export interface TracerUnderTest {
  readonly tracer: Tracer;
  close?(): Promise<void>;
}

/** Declares the tests that every tracer must pass, including one that records nothing. */
export function tracerSuite(name: string, open: () => Promise<TracerUnderTest>): void {
  describe(`tracer: ${name}`, () => {
    it("begins a trace if there is no valid one", async () => {
      const { tracer, close } = await open();
      const traces = [undefined, "", "nonsense", `${inbound}\n`, inbound.toUpperCase()].map((parent) => {
        const span = tracer.startSpan("work", { parent });
        const context = parseTraceparent(span.traceparent);
        span.end();
        assert.notEqual(context?.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
        return context?.traceId;
      });
      assert.equal(new Set(traces).size, traces.length);
      assert.ok(!traces.includes(undefined));
      await close?.();
    });

    it("continues the given trace, and its caller's choice to record", async () => {
      const { tracer, close } = await open();
      for (const flags of ["01", "00"]) {
        const span = tracer.startSpan("work", { parent: `${inbound.slice(0, -2)}${flags}`, kind: "server" });
        const context = parseTraceparent(span.traceparent);
        assert.equal(context?.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
        assert.equal(context?.isSampled, flags === "01");
        const child = tracer.startSpan("part", { parent: span.traceparent });
        assert.equal(parseTraceparent(child.traceparent)?.traceId, context?.traceId);
        child.end();
        span.end();
      }
      await close?.();
    });

    it("accepts any call on a span, also after its end", async () => {
      const { tracer, close } = await open();
      const span = tracer.startSpan("work", { attributes: { a: "text", b: 1, c: true } });
      span.setName("better name");
      span.recordError(new Error("failed"));
      span.recordError("no error at all");
      span.end();
      span.setAttribute("late", 1);
      span.end();
      await close?.();
    });
  });
}
