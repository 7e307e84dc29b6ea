#!/usr/bin/env bash
# cluster.sh FOLDER BIN BASE: runs a Kubernetes with two nodes until it gets SIGTERM. Needs root, the programs in BIN, and etcd,
# containerd, runc, docker-registry, iptables, ipset and the CNI plugins of the system. Writes FOLDER/kubeconfig, and FOLDER/ready
# when both nodes are.
#
# A node is a network and mount namespace with a kubelet, containerd, kube-proxy and kube-router in it. The host has the control plane, the
# registry, one bridge and its routes, and no firewall rule. Tests on the host reach pods (10.244.N.0/24) and Services (10.96.0.0/16).
set -euo pipefail
RUN=$1; BIN=$2; BASE=$3
API=$((BASE + 1)); ETCD=$((BASE + 2)); PEER=$((BASE + 3)); REGISTRY=$((BASE + 4)); METRICS=$((BASE + 5))
NET=10.199.0; BRIDGE=k8s$BASE; NODES="1 2"
export PATH=$BIN:/usr/local/sbin:/usr/sbin:/sbin:$PATH KUBECONFIG=$RUN/kubeconfig
mkdir -p "$RUN"; cd "$RUN"; rm -f ready

# By name. A test that replaces a program writes the new one into its file, and the folder may be deleted before the cluster ends.
declare -A pids
start() { local name=$1; shift; "$@" >"$RUN/$name.log" 2>&1 & pids[$name]=$!; echo $! >"$RUN/$name.pid"; }
inside() { local n=$1; shift; nsenter -t "${pids[node$n]}" -n -m "$@"; }
start_inside() { local n=$1 name=$2; shift 2; start "$name$n" nsenter -t "${pids[node$n]}" -n -m "$@"; }
end() {
  local pid
  for pid in ${pids[$1]:-} $(cat "$RUN/$1.pid" 2>/dev/null); do kill "${2:--TERM}" "$pid" 2>/dev/null; done
  return 0
}
api() { curl --silent --fail --insecure --max-time 5 -H "authorization: Bearer $TOKEN" "$@"; }

# A namespace is made by the program that is started, a moment after its process.
until_own_network() {
  for _ in $(seq 100); do [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ] && return; sleep 0.1; done
}

# The kubelet sets these for the whole machine.
settings="vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops kernel.keys.root_maxkeys kernel.keys.root_maxbytes"

control_plane() {
  # shellcheck disable=SC2086
  [ -f sysctl.before ] || sysctl $settings >sysctl.before
  # The bridge has a namespace of its own: the firewall of a container engine on the host would drop what it forwards.
  start switch unshare --net sleep infinity
  local switch=${pids[switch]}; until_own_network "$switch"
  nsenter -t "$switch" -n sh -c "ip link add br0 type bridge; ip link set br0 up; echo 0 > /proc/sys/net/bridge/bridge-nf-call-iptables"
  ip link add "$BRIDGE" type veth peer name host netns "$switch"; nsenter -t "$switch" -n ip link set host master br0 up
  ip addr replace "$NET.1/24" dev "$BRIDGE"; ip link set "$BRIDGE" up
  [ -f service-accounts.key ] || openssl genrsa -out service-accounts.key 2048 2>/dev/null
  TOKEN=$(openssl rand -hex 16); echo "$TOKEN,admin,admin,system:masters" >tokens.csv
  cat >kubeconfig <<Y
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "https://$NET.1:$API", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: "$TOKEN"}}]
contexts: [{name: test, context: {cluster: test, user: admin}}]
current-context: test
Y
  cat >registry.yaml <<Y
version: 0.1
storage: {filesystem: {rootdirectory: $RUN/registry}, delete: {enabled: true}}
http: {addr: "$NET.1:$REGISTRY"}
log: {level: warn, accesslog: {disabled: true}}
Y
  start registry docker-registry serve registry.yaml
  rm -rf etcd
  start etcd etcd --data-dir etcd --unsafe-no-fsync --listen-client-urls "http://127.0.0.1:$ETCD" \
    --advertise-client-urls "http://127.0.0.1:$ETCD" --listen-peer-urls "http://127.0.0.1:$PEER" \
    --initial-advertise-peer-urls "http://127.0.0.1:$PEER" --initial-cluster "default=http://127.0.0.1:$PEER"
  start_api
  for _ in $(seq 240); do api "https://$NET.1:$API/readyz" >/dev/null && break; sleep 0.5; done
  start controller-manager kube-controller-manager --kubeconfig=kubeconfig --secure-port=0 --leader-elect=false \
    --service-account-private-key-file=service-accounts.key --root-ca-file=certificates/apiserver.crt \
    --use-service-account-credentials=false --node-monitor-grace-period=20s --horizontal-pod-autoscaler-sync-period=5s
  start scheduler kube-scheduler --kubeconfig=kubeconfig --secure-port=0 --leader-elect=false
}

# On the address of the bridge, with the default reconciler of endpoints: pods reach it at 10.96.0.1.
start_api() {
  start apiserver kube-apiserver "--etcd-servers=http://127.0.0.1:$ETCD" --service-account-key-file=service-accounts.key \
    --service-account-signing-key-file=service-accounts.key --service-account-issuer=https://kubernetes.default.svc \
    --token-auth-file=tokens.csv --authorization-mode=Node,RBAC --service-cluster-ip-range=10.96.0.0/16 \
    --cert-dir=certificates "--secure-port=$API" "--bind-address=$NET.1" "--advertise-address=$NET.1" \
    --kubelet-preferred-address-types=InternalIP
}

# Reads a body from standard input.
post() { api -X POST -H "content-type: application/json" -o /dev/null -d @- "https://$NET.1:$API$1"; }

# Reports what nodes and pods use (metrics.k8s.io). The API server checks who asks, and passes the request on without a name.
metrics() {
  local rbac=rbac.authorization.k8s.io
  start metrics-server metrics-server --kubeconfig=kubeconfig --authentication-kubeconfig=kubeconfig --authorization-kubeconfig=kubeconfig \
    --authentication-skip-lookup "--bind-address=$NET.1" "--secure-port=$METRICS" --cert-dir=metrics-certificates \
    --kubelet-insecure-tls --kubelet-preferred-address-types=InternalIP --metric-resolution=10s --kubelet-request-timeout=5s
  post "/apis/$rbac/v1/clusterroles" <<Y
{"metadata":{"name":"metrics-server"},"rules":[{"apiGroups":["metrics.k8s.io"],"resources":["pods","nodes"],"verbs":["get","list"]},
 {"nonResourceURLs":["/apis/*","/openapi/*"],"verbs":["get"]}]}
Y
  post "/apis/$rbac/v1/clusterrolebindings" <<Y
{"metadata":{"name":"metrics-server"},"roleRef":{"apiGroup":"$rbac","kind":"ClusterRole","name":"metrics-server"},
 "subjects":[{"kind":"User","apiGroup":"$rbac","name":"system:anonymous"}]}
Y
  post /api/v1/namespaces/kube-system/services <<Y
{"metadata":{"name":"metrics-server"},"spec":{"type":"ExternalName","externalName":"$NET.1","ports":[{"port":$METRICS}]}}
Y
  post /apis/apiregistration.k8s.io/v1/apiservices <<Y
{"metadata":{"name":"v1beta1.metrics.k8s.io"},"spec":{"group":"metrics.k8s.io","version":"v1beta1","groupPriorityMinimum":100,
 "versionPriority":100,"insecureSkipTLSVerify":true,"service":{"namespace":"kube-system","name":"metrics-server","port":$METRICS}}}
Y
  # No namespace can be deleted while a served API is unreachable.
  for _ in $(seq 120); do api "https://$NET.1:$API/apis/metrics.k8s.io/v1beta1" >/dev/null && break; sleep 0.5; done
}

# Containers need an image for the process that holds their namespaces.
pause_image() {
  mkdir -p pause/layer; cp "$BIN/pause" pause/layer/
  (cd pause/layer && tar cf ../layer.tar .)
  local sum; sum=$(sha256sum pause/layer.tar | cut -d' ' -f1)
  echo "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{\"Entrypoint\":[\"/pause\"]},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"sha256:$sum\"]}}" >pause/config.json
  echo '[{"Config":"config.json","RepoTags":["docker.io/local/pause:1"],"Layers":["layer.tar"]}]' >pause/manifest.json
  (cd pause && tar cf ../pause.tar config.json manifest.json layer.tar)
}

node() {
  local n=$1 N=$RUN/n$1; mkdir -p "$N/cni" "$N/logs" "$N/containers" "$N/kubelet-var"
  # Kubelets use fixed paths, and one deletes the logs of the pods of another one.
  mkdir -p /var/log/pods /var/log/containers /var/lib/kubelet
  start "node$n" unshare --net --mount --propagation private sh -c "mount --bind $N/logs /var/log/pods && mount --bind $N/containers /var/log/containers && mount --bind $N/kubelet-var /var/lib/kubelet && exec sleep infinity"
  local pid=${pids[node$n]} switch=${pids[switch]}; until_own_network "$pid"; sleep 0.5
  nsenter -t "$switch" -n ip link add "node$n" type veth peer name eth0 netns "/proc/$pid/ns/net"
  nsenter -t "$switch" -n ip link set "node$n" master br0 up
  inside "$n" sh -c "ip link set lo up; ip addr add $NET.1$n/24 dev eth0; ip link set eth0 up; ip route add default via $NET.1; echo 1 > /proc/sys/net/ipv4/ip_forward"
  ip route replace "10.244.$n.0/24" via "$NET.1$n"
  [ "$n" != 1 ] || ip route replace 10.96.0.0/16 via "$NET.11"
  for other in $NODES; do [ "$other" = "$n" ] || inside "$n" ip route replace "10.244.$other.0/24" via "$NET.1$other"; done
  # A cgroup of its own: a kubelet deletes the cgroups of pods that it does not know.
  for c in /sys/fs/cgroup/*/; do [ "$c" = /sys/fs/cgroup/unified/ ] || mkdir -p "$c/$BRIDGE-$n"; done
  cat /sys/fs/cgroup/cpuset/cpuset.cpus >"/sys/fs/cgroup/cpuset/$BRIDGE-$n/cpuset.cpus"
  cat /sys/fs/cgroup/cpuset/cpuset.mems >"/sys/fs/cgroup/cpuset/$BRIDGE-$n/cpuset.mems"
  cat >"$N/containerd.toml" <<Y
version = 2
root = "$N/containerd-root"
state = "$N/containerd-state"
[grpc]
  address = "$N/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/local/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$N/cni"
  [plugins."io.containerd.grpc.v1.cri".registry.mirrors."$NET.1:$REGISTRY"]
    endpoint = ["http://$NET.1:$REGISTRY"]
Y
  # Every packet between pods is routed, so that policies see it, also between pods of one node.
  cat >"$N/cni/10-ptp.conflist" <<Y
{"cniVersion":"0.4.0","name":"k8s$n","plugins":[{"type":"ptp","ipMasq":false,"ipam":{"type":"host-local","dataDir":"$N/ipam","ranges":[[{"subnet":"10.244.$n.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}]}},{"type":"portmap","capabilities":{"portMappings":true}}]}
Y
  cat >"$N/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
cgroupRoot: /$BRIDGE-$n
failSwapOn: false
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix://$N/containerd.sock
podPidsLimit: 1024
nodeStatusUpdateFrequency: 4s
evictionHard: {memory.available: "50Mi", nodefs.available: "1%", imagefs.available: "1%"}
imageGCHighThresholdPercent: 99
imageGCLowThresholdPercent: 98
Y
  cat >"$N/kube-proxy.yaml" <<Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $RUN/kubeconfig}
mode: iptables
clusterCIDR: 10.244.0.0/16
hostnameOverride: node$n
conntrack: {maxPerCore: 0, min: 0}
Y
  start_inside "$n" containerd containerd --config "$N/containerd.toml"
  for _ in $(seq 100); do ctr -a "$N/containerd.sock" version >/dev/null 2>&1 && break; sleep 0.2; done
  ctr -a "$N/containerd.sock" -n k8s.io images import pause.tar >/dev/null
  start_inside "$n" kubelet "$BIN/kubelet" --kubeconfig="$RUN/kubeconfig" --config="$N/kubelet.yaml" --root-dir="$N/kubelet" \
    --hostname-override="node$n" --cert-dir="$N/kubelet-certificates" --node-ip="$NET.1$n" --node-labels="topology.kubernetes.io/zone=zone$n"
  local url="https://$NET.1:$API/api/v1/nodes/node$n"
  for _ in $(seq 240); do api "$url" >/dev/null && break; sleep 0.5; done
  api -X PATCH -H "content-type: application/merge-patch+json" -o /dev/null "$url" \
    -d "{\"spec\":{\"podCIDR\":\"10.244.$n.0/24\",\"podCIDRs\":[\"10.244.$n.0/24\"]}}" || true
  start_inside "$n" kube-proxy "$BIN/kube-proxy" --config "$N/kube-proxy.yaml"
  start_inside "$n" kube-router "$BIN/kube-router" --kubeconfig="$RUN/kubeconfig" --run-router=false --run-service-proxy=false \
    --run-firewall=true --run-loadbalancer=false --hostname-override="node$n" --service-cluster-ip-range=10.96.0.0/16 \
    --enable-cni=false --health-port=0 --iptables-sync-period=1m
}

# Leaves nothing but logs and the images of the registry.
down() {
  local status=$?
  trap - TERM INT EXIT
  set +e
  rm -f ready
  [ -z "${idle:-}" ] || kill "$idle"
  for n in $NODES; do for name in kubelet kube-router kube-proxy; do end "$name$n"; done; done
  sleep 1
  for n in $NODES; do
    local socket=$RUN/n$n/containerd.sock
    for task in $(timeout 5 ctr -a "$socket" -n k8s.io tasks ls -q 2>/dev/null); do
      timeout 5 ctr -a "$socket" -n k8s.io tasks kill -s 9 "$task" 2>/dev/null
    done
  done
  sleep 1
  for n in $NODES; do end "containerd$n"; done
  for name in metrics-server scheduler controller-manager apiserver etcd registry; do end "$name" -KILL; done
  sleep 1
  for n in $NODES; do end "node$n" -KILL; done
  sleep 1
  for n in $NODES; do find /sys/fs/cgroup/*/"$BRIDGE-$n" -depth -type d -exec rmdir {} + 2>/dev/null; done
  rm -rf etcd certificates metrics-certificates n1 n2
  if [ -f sysctl.before ]; then sysctl -q -p sysctl.before; rm sysctl.before; fi
  # The routes go with the link.
  ip link del "$BRIDGE" 2>/dev/null; end switch -KILL
  exit "${1:-$status}"
}

# Also after a failed start.
trap "down 0" TERM INT; trap down EXIT
# A cluster that was killed left its programs, or the system has given their process ids to others.
is_ours() { [ "$(readlink "/proc/$1/cwd")" = "$RUN" ] || tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | grep -q -- "$RUN/"; }
if [ -d n1 ]; then
  for file in *.pid; do is_ours "$(cat "$file")" 2>/dev/null && kill -KILL "$(cat "$file")" 2>/dev/null; done || true
  rm -rf n1 n2 etcd; ip link del "$BRIDGE" 2>/dev/null || true
fi
if ip link show dev "$BRIDGE" >/dev/null 2>&1; then
  if curl --silent --insecure --max-time 5 --output /dev/null "https://$NET.1:$API/"; then
    trap - EXIT
    echo "a cluster of another folder runs at $NET.1" >&2; exit 3
  fi
  # What is left of one.
  ip link del "$BRIDGE"
fi
pause_image
control_plane
for n in $NODES; do node "$n"; done
for n in $NODES; do
  until api "https://$NET.1:$API/api/v1/nodes/node$n" | grep -A1 '"type": "Ready"' | grep -q '"status": "True"'; do sleep 0.5; done
done
metrics
touch ready
sleep infinity & idle=$!; wait "$idle"
