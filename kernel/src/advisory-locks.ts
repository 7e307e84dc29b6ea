/**
 * Numbers of the PostgreSQL advisory locks that the platform takes. They are the same in every process. One database has one
 * number space: two uses of the same number would wait for each other.
 */
export const advisoryLocks = {
  migrations: 7_203_114_905,
  outboxRelay: 7_203_114_906,
  authorizationBootstrap: 7_203_114_907,
  appDatabases: 7_203_114_908,
  firstAdministrator: 7_203_114_909,
  /** Changes after which there could be no administrator. */
  administrators: 7_203_114_910,
  /** The map of groups. */
  groupMap: 7_203_114_911,
  /** New service accounts and their number. */
  serviceAccounts: 7_203_114_912,
  /** New trusted pipelines and their number. */
  trustedPipelines: 7_203_114_913,
  /** The rows of running servers. */
  servers: 7_203_114_914,
  /** A move of the database, on both of its servers. */
  databaseMove: 7_203_114_915,
  /** The first of two numbers: the second one is that of the app. Such pairs have a number space of their own. */
  appDatabase: 720_311_490,
  /** The first of two numbers of the locks with which a process finds out whether the server has any left. */
  probe: 720_311_491,
  /** The first of two numbers: the second one is that of what attempts to sign in are counted by. */
  attempts: 720_311_492,
  /** The first of two numbers: the second one is that of the person whose groups are written. */
  groupsOfPerson: 720_311_493,
  /** The first of two numbers: the second one is that of the person who asks for access. */
  accessRequestsOfPerson: 720_311_494,
  /** The first of two numbers: the second one is that of the person who gets a message. */
  messagesOfPerson: 720_311_495,
  /** The first of two numbers: the second one is that of the person who gives something to a program. */
  agentConsentsOfPerson: 720_311_496,
} as const;
