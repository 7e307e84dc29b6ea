import {
  type Clock,
  type Component,
  fieldText,
  type Logger,
  maxFieldLength,
  parseTraceparent,
  settledWithin,
} from "@appserver/kernel";
import type { Metrics, Span, SpanOptions, Tracer } from "@appserver/kernel/ports";
import {
  type Context,
  createContextKey,
  type Tracer as OpenTelemetryTracer,
  ROOT_CONTEXT,
  SpanKind,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { OtlpSpan } from "./otlp-span.ts";
import { SpanQueue } from "./span-queue.ts";

export interface OtlpTracerOptions {
  /** Address of the collector: `http://collector:4318`. `/v1/traces` is added if it has no path. */
  readonly endpoint: string;
  /** Headers of every batch, for authentication. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `service.name`: `appserver`, `orchestrator`. */
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** `service.instance.id` */
  readonly instance: string;
  /** Share of the traces begun here that are recorded, 0 to 1. A continued trace follows the choice of its caller. */
  readonly sampleRatio: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Maximum number of waiting spans. Default 2048. */
  readonly queueSize?: number;
  /** Default 512. */
  readonly batchSize?: number;
  /** Maximum time that a span waits to be exported in a batch. Default 1 s. */
  readonly delayMs?: number;
  /** Maximum time to send one batch, retries included, and maximum wait at a stop. Default 5 s. */
  readonly exportTimeoutMs?: number;
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Sends traces to an OpenTelemetry collector, by OTLP over HTTP with protobuf. While it is unreachable, spans are dropped and
 * counted. `stop` sends the waiting spans. Registers nothing with OpenTelemetry's globals.
 */
export class OtlpTracer implements Tracer, Component {
  readonly name = "traces";
  readonly enabled = true;
  readonly #options: OtlpTracerOptions;
  readonly #provider: TracerProvider;
  readonly #tracer: OpenTelemetryTracer;

  /** Throws RangeError if the endpoint is not an http(s) URL, or the ratio is not between 0 and 1. */
  constructor(options: OtlpTracerOptions) {
    const { sampleRatio } = options;
    if (!(sampleRatio >= 0 && sampleRatio <= 1)) throw new RangeError("the sample ratio is a number from 0 to 1");
    this.#options = options;
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        "service.name": options.serviceName,
        "service.version": options.serviceVersion,
        "service.instance.id": options.instance,
      }),
      sampler: new CautiousSampler(sampleRatio),
      spanLimits: { attributeValueLengthLimit: maxFieldLength },
      spanProcessors: [new SpanQueue({ ...queueDefaults, ...queueOptions(options), exporter: exporterOf(options) })],
    });
    this.#tracer = this.#provider.getTracer("appserver", options.serviceVersion);
  }

  startSpan(name: string, { parent, isParentTrusted = true, kind = "internal", attributes }: SpanOptions = {}): Span {
    const options = { kind: kinds[kind], ...(attributes && { attributes }) };
    const context = contextOf(parent);
    return new OtlpSpan(
      this.#tracer.startSpan(fieldText(name), options, isParentTrusted ? context : context.setValue(untrustedParent, true)),
    );
  }

  async stop(): Promise<void> {
    const { clock, exportTimeoutMs = 5_000 } = this.#options;
    await settledWithin(this.#provider.shutdown(), { clock, ms: exportTimeoutMs });
  }
}

/** Runs in the context of a span whose parent was given by an unauthenticated caller. */
const untrustedParent = createContextKey("untrusted parent");

/** Follows trusted parents. For other parents it samples at random, because the unauthenticated caller also chose the trace id. */
class CautiousSampler implements Sampler {
  readonly #ratio: number;
  readonly #trusting: Sampler;

  constructor(ratio: number) {
    this.#ratio = ratio;
    this.#trusting = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }

  shouldSample(...span: Parameters<Sampler["shouldSample"]>): SamplingResult {
    const [context] = span;
    if (context.getValue(untrustedParent) !== true) return this.#trusting.shouldSample(...span);
    const isRecorded = Math.random() < this.#ratio;
    return { decision: isRecorded ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `cautious, ${this.#ratio}`;
  }
}

const queueDefaults = { capacity: 2048, batchSize: 512, delayMs: 1_000 };

function queueOptions({ clock, logger, metrics, queueSize, batchSize, delayMs }: OtlpTracerOptions) {
  return {
    clock,
    logger,
    metrics,
    ...(queueSize !== undefined && { capacity: queueSize }),
    ...(batchSize !== undefined && { batchSize }),
    ...(delayMs !== undefined && { delayMs }),
  };
}

function exporterOf({ endpoint, headers, exportTimeoutMs = 5_000 }: OtlpTracerOptions): OTLPTraceExporter {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new RangeError(`"${endpoint}" is not a collector: expected an http or https URL`);
  }
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return new OTLPTraceExporter({ url: url.href, headers: { ...headers }, timeoutMillis: exportTimeoutMs });
}

function contextOf(parent: string | undefined): Context {
  const known = parseTraceparent(parent);
  if (!known) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = known;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
