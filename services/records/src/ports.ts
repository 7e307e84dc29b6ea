import type { SystemEventFilter, SystemEventRecord } from "@appserver/kernel/ports";

export {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type EventEnvelope,
  type EventHistory,
  type ListedRequest,
  type MetricHistory,
  type MetricSample,
  type MetricTotal,
  type PresentedEvent,
  type ProcessValue,
  type RequestFilter,
  type RequestHistory,
  type RequestLog,
  requestSamples,
  type SampleSource,
  type StoredRequest,
  type SystemEventFilter,
  type SystemEventRecord,
} from "@appserver/kernel/ports";

/** Events that reach this process from now on. */
export interface SystemEventNotifications {
  published(signal: AbortSignal, filter: SystemEventFilter): AsyncIterable<SystemEventRecord>;
}
