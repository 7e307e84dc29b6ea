/** Values of docs/guides/kubernetes.md, as an operator writes them. */
export const minimal = `
existingSecret: appserver
config:
  database: { host: postgres.example.com }
`;

/** What each set of values adds to the minimal ones. */
export const additions: Readonly<Record<string, string>> = {
  "ingress with a certificate of cert-manager": `
config:
  server: { public_url: https://platform.example.com }
  database: { host: postgres.example.com }
ingress:
  enabled: true
  className: nginx
  host: platform.example.com
  tls: { clusterIssuer: letsencrypt }
  annotations: { nginx.ingress.kubernetes.io/proxy-body-size: "0" }
`,
  "ingress with a certificate of the operator": `
config:
  server: { public_url: https://platform.example.com }
  database: { host: postgres.example.com }
ingress:
  enabled: true
  host: platform.example.com
  tls: { secretName: platform-certificate }
`,
  "ingress without TLS": `
config:
  server: { public_url: https://platform.example.com }
  database: { host: postgres.example.com }
ingress:
  enabled: true
  host: platform.example.com
  tls: { enabled: false }
`,
  "routes of a Gateway": `
config:
  server: { public_url: https://platform.example.com }
  database: { host: postgres.example.com }
gateway:
  enabled: true
  hostnames: [platform.example.com]
  grpcHostnames: [grpc.example.com]
  parentRefs: [{ name: public, namespace: gateways }]
`,
  "servers by their use of the processor": `
autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 9, targetCpu: 60 }
`,
  "objects of the Prometheus Operator": `
monitoring: { enabled: true, namespace: prometheus, labels: { release: prometheus } }
`,
  "a namespace of apps that exists": `
apps:
  namespace: tenants
  createNamespace: false
  registry: registry.example.com/apps
  pullSecrets: [registry]
  plainRegistries: ["10.0.0.5:5000"]
  storageClass: fast
  egress: ["10.0.0.7:5432", "10.0.0.8:5432"]
  deniedNetworks: [203.0.113.10, 198.51.100.0/24]
`,
  "images of another registry": `
image: { registry: registry.example.com/platform, tag: 1.2.3, pullPolicy: Always }
imagePullSecrets: [registry]
`,
  "places of pods": `
server:
  nodeSelector: { disk: ssd }
  tolerations: [{ key: dedicated, operator: Exists }]
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: {} }] } }
orchestrator:
  nodeSelector: { disk: any }
  podLabels: { team: platform }
  podAnnotations: { sidecar.istio.io/inject: "false" }
`,
  "a certificate of the database server": `
config:
  database: { host: postgres.example.com, sslmode: verify-full, ssl_root_cert_file: /etc/appserver/authority.pem }
files:
  authority.pem: |
    -----BEGIN CERTIFICATE-----
    AA==
    -----END CERTIFICATE-----
`,
  "variables and numbers": `
instance: prod
server: { replicas: 4, workers: 2, drainSeconds: 20, shutdownSeconds: 60, env: { APPSERVER_LOG_LEVEL: debug, APPSERVER_IDLE_TIMEOUT: 60s } }
orchestrator: { replicas: 1, existingSecret: apps-database, env: { APPSERVER_CONTAINERS_MEMORY_MB: 256 } }
service: { annotations: { example.com/zone: a } }
`,
};

export const tryOut = `
tryOut: true
tryOutStorage: { size: 20Gi, storageClass: fast }
apps: { registry: registry.example.com/apps }
`;

/** Values with which the chart is refused, and what helm then prints. */
export const refusals: Readonly<Record<string, readonly [values: string, message: RegExp]>> = {
  "no Secret": [
    "config: { database: { host: db } }",
    /existingSecret is missing: expected the name of a Secret with APPSERVER_DB_PASSWORD/,
  ],
  "no database": ["existingSecret: appserver", /config\.database\.host is missing/],
  "an unknown value": [`${minimal}\nserver: { replica: 3 }`, /additional properties 'replica' not allowed/],
  "a text for a number": [`${minimal}\nserver: { replicas: two }`, /at '\/server\/replicas': got string, want integer/],
  "a registry with a scheme": [`${minimal}\napps: { registry: "https://registry.example.com" }`, /at '\/apps\/registry'/],
  "an ingress without a name": [`${minimal}\ningress: { enabled: true }`, /ingress\.host is missing/],
  "an ingress without the public URL": [
    `${minimal}\ningress: { enabled: true, host: platform.example.com }`,
    /config\.server\.public_url is missing/,
  ],
  "two issuers": [`${minimal}\ningress: { tls: { issuer: one, clusterIssuer: two } }`, /expected one of both/],
  "routes without a Gateway": [
    `existingSecret: a\nconfig: { database: { host: db }, server: { public_url: "https://a.example.com" } }\ngateway: { enabled: true }`,
    /gateway\.parentRefs is empty/,
  ],
  "one name for both routes": [
    `existingSecret: a\nconfig: { database: { host: db }, server: { public_url: "https://a.example.com" } }\ngateway: { enabled: true, parentRefs: [{ name: a }], hostnames: [a.example.com], grpcHostnames: [a.example.com] }`,
    /gateway\.grpcHostnames has a\.example\.com, which is in gateway\.hostnames/,
  ],
  "servers that share no cache": [
    `existingSecret: a\nconfig: { database: { host: db }, cache: { driver: memory } }`,
    /config\.cache\.driver is memory: expected server\.replicas 1/,
  ],
  "apps next to the platform": [`${minimal}\napps: { namespace: platform }`, /apps\.namespace is the namespace of the release/],
  "more servers than the most": [
    `${minimal}\nautoscaling: { enabled: true, minReplicas: 9, maxReplicas: 3 }`,
    /autoscaling\.minReplicas is more than autoscaling\.maxReplicas/,
  ],
};
