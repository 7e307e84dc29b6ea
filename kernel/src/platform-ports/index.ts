export type { AppDatabases, DatabaseCopy, DatabaseLogin, DatabaseOwner, DatabaseSize } from "./app-databases.ts";
export {
  type AppStorage,
  type StorageMount,
  type StorageOwner,
  type StorageSelection,
  type StorageView,
  storageArchiveFolder,
} from "./app-storage.ts";
export type { AuditEntry, AuditFilter, AuditLog, AuditQuery, AuditQueue, AuditRecord, TimedAuditRecord } from "./audit-log.ts";
export type { Authorization, CheckRequest, Tuple } from "./authorization.ts";
export type { Broker, ConsumeOptions, DeadLetter, Delivery, EventEnvelope, EventHandler, QueueDepth } from "./broker.ts";
export type { Cache, MarkOptions, MarkOutcome, Window, WindowResult } from "./cache.ts";
export { ContainerError, type ContainerErrorReason } from "./container-error.ts";
export {
  type ContainerReplicas,
  checkReplicas,
  type EngineAbilities,
  type InstanceEnd,
  type InstanceProblem,
  type InstanceView,
  plainAbilities,
  singleInstance,
} from "./container-instances.ts";
export type { AppNetworkSpec, AppNetworkView, ContainerNetworks } from "./container-networks.ts";
export {
  type ContainerFile,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerStats,
  type ContainerStatus,
  type ContainerSupervision,
  type ContainerView,
  containerLabels,
  isSameOwner,
  type LogRequest,
  ownerOf,
  type PullOptions,
  type PullProgress,
  type RegistryCredentials,
} from "./containers.ts";
export {
  type ChannelSubscription,
  type Database,
  DatabaseError,
  type ExhaustedResource,
  type Migration,
  type SqlExecutor,
  type SqlResult,
  type Subscription,
  type Transaction,
  type TransactionOptions,
} from "./database.ts";
export type { EventHistory, PresentedEvent, SystemEventFilter, SystemEventRecord } from "./event-history.ts";
export type { GroupMemberships, ToldGroups } from "./group-memberships.ts";
export type { IdempotencyClaim, IdempotencyKeys, IdempotentRequest, KeyedWork, WorkReceipt } from "./idempotency-keys.ts";
export type { IdentityProvider, PeopleQuery, Person, Session, SessionCredential } from "./identity.ts";
export type { Lease, Leases } from "./leases.ts";
export type { Mail, MailAddress, MailMessage } from "./mail.ts";
export {
  durationBounds,
  type MetricHistory,
  type MetricSample,
  type MetricTotal,
  type MetricWindow,
  type ProcessValue,
  requestSamples,
  type SampleSource,
} from "./metric-history.ts";
export {
  type Counter,
  type CounterDefinition,
  type CounterHandle,
  defaultMaxSeries,
  type Exposition,
  type Gauge,
  type GaugeDefinition,
  type GaugeHandle,
  type Histogram,
  type HistogramDefinition,
  type HistogramHandle,
  type Instrument,
  type Labels,
  type Metrics,
  maxLabelLength,
  otherLabel,
  type Reading,
} from "./metrics.ts";
export type {
  AddressRules,
  AnswerLimits,
  DocumentLimits,
  DocumentRequest,
  Endpoint,
  Outbound,
  OutboundMessage,
  PostResponse,
  ReadDocument,
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamReceiver,
  UpstreamRequest,
  UpstreamTarget,
} from "./outbound.ts";
export type { Outbox } from "./outbox.ts";
export type { Provisioning, ProvisioningRequest, ProvisioningResponse } from "./provisioning.ts";
export type {
  HandledRequest,
  ListedRequest,
  RequestFilter,
  RequestHistory,
  RequestLog,
  StoredRequest,
} from "./request-history.ts";
export type { SecretSeal, UnreadableSecret } from "./secret-seal.ts";
export type { SelfService, SelfServiceRequest, SelfServiceResponse } from "./self-service.ts";
export type { DevLogin, ReturnAddress, SignedOut, SignIn } from "./sign-in.ts";
export type { AttributeValue, Span, SpanKind, SpanOptions, Tracer } from "./tracer.ts";
export type { AppUsageSample, UsageHistory } from "./usage-history.ts";
