{{- define "appserver.labels" -}}
{{ include "appserver.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "appserver.selector" -}}
app.kubernetes.io/name: appserver
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "appserver.instance" -}}
{{ .Values.instance | default .Release.Name }}
{{- end }}

{{- define "appserver.apps" -}}
{{ .Values.apps.namespace | default (printf "%s-apps" .Release.Namespace) }}
{{- end }}

{{- define "appserver.host" -}}
{{ .Release.Name }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "appserver.image" -}}
{{ with .root.Values.image.registry }}{{ . }}/{{ end }}{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* What every pod has. The label lets policies of the apps' namespace name it: apps and platform reach each other. */}}
{{- define "appserver.podMetadata" -}}
labels:
  {{- include "appserver.labels" . | nindent 2 }}
  appserver.gateway: {{ include "appserver.instance" .root | quote }}
  {{- with .parts.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  checksum/config: {{ list .root.Values.config .root.Values.files | toYaml | sha256sum }}
  {{- with .parts.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "appserver.pod" -}}
# Otherwise a Service named appserver-grpc sets APPSERVER_GRPC_PORT=tcp://…, and the server refuses to start.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .parts.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .parts.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .parts.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "appserver.selector" . | nindent 8 }}
{{- end }}

{{- define "appserver.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "appserver.mounts" -}}
- { name: config, mountPath: /etc/appserver, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "appserver.volumes" -}}
- { name: config, configMap: { name: {{ .Release.Name }}-config } }
- { name: tmp, emptyDir: { medium: Memory, sizeLimit: 64Mi } }
{{- end }}

{{/* Variables, one a line: of all processes, then `own`, then those of the values. */}}
{{- define "appserver.env" -}}
{{- $all := dict "APPSERVER_INSTANCE" (include "appserver.instance" .root) "APPSERVER_CONTAINERS_DRIVER" "kubernetes" }}
{{- with .root.Values.apps.registry }}{{ $_ := set $all "APPSERVER_CONTAINERS_REGISTRY_URL" . }}{{ end }}
{{- range $name, $value := mergeOverwrite $all .own .parts.env }}
- { name: {{ $name }}, value: {{ ternary ($value | toJson) ($value | toString) (kindIs "float64" $value) | quote }} }
{{- end }}
{{- end }}

{{/* Variables of the process that runs the apps, as JSON. */}}
{{- define "appserver.appsEnv" -}}
{{- $apps := .Values.apps }}
{{- $own := dict "APPSERVER_KUBERNETES_NAMESPACE" (include "appserver.apps" .) }}
{{- with $apps.storageClass }}{{ $_ := set $own "APPSERVER_KUBERNETES_STORAGE_CLASS" . }}{{ end }}
{{- with $apps.pullSecrets }}{{ $_ := set $own "APPSERVER_KUBERNETES_PULL_SECRETS" (join "," .) }}{{ end }}
{{- with $apps.plainRegistries }}{{ $_ := set $own "APPSERVER_KUBERNETES_PLAIN_REGISTRIES" (join "," .) }}{{ end }}
{{- with $apps.egress }}{{ $_ := set $own "APPSERVER_KUBERNETES_EGRESS" (join "," .) }}{{ end }}
{{- with $apps.deniedNetworks }}{{ $_ := set $own "APPSERVER_KUBERNETES_DENIED_NETWORKS" (join "," .) }}{{ end }}
{{- $image := ternary .Values.image.up .Values.image.orchestrator .Values.tryOut }}
{{- $_ := set $own "APPSERVER_KUBERNETES_GATE_IMAGE" (include "appserver.image" (dict "root" . "name" $image)) }}
{{- toJson $own }}
{{- end }}
