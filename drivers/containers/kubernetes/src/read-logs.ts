import { type LogLine, logTime, maxLogLineBytes } from "@appserver/kernel";
import type { LogRequest } from "@appserver/kernel/ports";
import { type KubernetesClient, KubernetesError } from "./kubernetes-client.ts";
import { appContainer, type Pod } from "./objects.ts";
import { readLines } from "./read-lines.ts";

/** Of the time in front of a line, with the space after it. */
const longestTime = 40;

/**
 * Yields what a pod prints from now on or has printed, until its container ends. Both streams arrive as one, so the stream of a line is
 * unknown. Ends without lines if the container has not started.
 */
export async function* readPodLog(
  client: KubernetesClient,
  { metadata: { name, namespace } }: Pod & { readonly metadata: { readonly namespace?: string } },
  { tail, since, follow = false, signal, previous = false }: LogRequest & { readonly previous?: boolean },
): AsyncGenerator<readonly LogLine[]> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
  const query = {
    container: appContainer,
    timestamps: true,
    follow,
    previous,
    tailLines: tail,
    // Only whole seconds count, so known lines come again.
    sinceTime: since === undefined ? undefined : `${since.slice(0, 19)}Z`,
  };
  let body: AsyncIterable<Buffer>;
  try {
    body = await client.log(path, query, signal);
  } catch (error) {
    // 400: the container waits to start, or has no earlier run. 404: the pod was deleted.
    if (error instanceof KubernetesError && (error.status === 400 || error.status === 404)) return;
    throw error;
  }
  for await (const lines of readLines(body, maxLogLineBytes + longestTime)) {
    const read = lines.flatMap(({ text, isCut }) => lineOf(text, isCut) ?? []);
    const news = since === undefined ? read : read.filter(({ time }) => time > since);
    if (news.length > 0) yield news;
  }
}

function lineOf(line: string, isCut: boolean): LogLine | undefined {
  const space = line.indexOf(" ");
  const time = logTime(space === -1 ? line : line.slice(0, space));
  if (time === undefined) return undefined;
  const text = Buffer.from(space === -1 ? "" : line.slice(space + 1));
  const isTooLong = text.length > maxLogLineBytes;
  return {
    time,
    stream: "unknown",
    text: (isTooLong ? text.subarray(0, maxLogLineBytes) : text).toString("utf8"),
    isCut: isCut || isTooLong,
  };
}
