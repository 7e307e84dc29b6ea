import { rm } from "node:fs/promises";
import { EngineClient } from "@appserver/containers-docker";
import { makeAppImage, pushImage } from "@appserver/containers-docker/images";
import { writeAppFolder } from "@appserver/testing/kit";

/** An app that prints `line <number>` the given number of times a second, until it is stopped. */
const sourceOf = (linesPerSecond: number): string => `
const startedAt = performance.now();
const filler = "x".repeat(20);
let printed = 0;
setInterval(() => {
  const due = Math.floor((performance.now() - startedAt) / 1000 * ${linesPerSecond});
  let text = "";
  for (; printed < due && text.length < 500_000; printed += 1) text += "line " + printed + " " + filler + "\\n";
  // A pipe that is full would keep the lines in the memory of the app.
  if (!process.stdout.writableNeedDrain) process.stdout.write(text);
  else printed -= text.split("\\n").length - 1;
}, 10);
process.on("SIGTERM", () => process.exit(0));
`;

/** Creates an image of an app that prints a lot, and pushes it to the registry. */
export async function publishChattyImage(socketPath: string, image: string, linesPerSecond: number): Promise<void> {
  const folder = await writeAppFolder(sourceOf(linesPerSecond));
  const engine = new EngineClient(socketPath);
  try {
    await makeAppImage({ socketPath, appFolder: folder, entry: "src/server.ts", image });
    await pushImage(engine, image);
  } finally {
    await engine.close();
    await rm(folder, { recursive: true });
  }
}
