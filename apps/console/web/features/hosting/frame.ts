// Runs in a document without the platform's origin. All that the page in it can do goes through one port to the document around it.
import "./without-webrtc.ts";
import "./frame.css";
import { connectFrame } from "@appserver/sdk/page-frame";
import { mountModule } from "./load-module.ts";
import type { PageModule } from "./page-module.ts";

const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
const { context, module, tell } = await connectFrame<PageModule>(nonce);
const element = document.getElementById("page") ?? document.body;

function fail(error: unknown): void {
  tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
}

window.addEventListener("error", ({ error, message }) => {
  // A page that has lost its content cannot say so itself.
  if (element.childElementCount === 0) fail(error ?? message);
});
try {
  if (!module) throw new Error("the shell sent no page");
  await mountModule(module, element, context);
  tell({ type: "mounted" });
} catch (error) {
  fail(error);
}
