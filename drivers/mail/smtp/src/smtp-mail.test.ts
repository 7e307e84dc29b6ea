import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MailServer } from "@appserver/testing/kit";
import { SmtpMail } from "./smtp-mail.ts";

describe("mail by SMTP", () => {
  let server: MailServer;
  let mail: SmtpMail;
  const message = {
    to: [{ address: "team@example.test" }],
    subject: "disk is nearly full",
    text: "95 % are used",
    id: "e1.t1",
  };

  before(async () => {
    server = await MailServer.start();
    mail = new SmtpMail({ url: server.url, from: "Platform <platform@example.test>", platformName: "Acme" });
  });

  after(async () => {
    await mail.stop();
    await server.stop();
  });

  it("sends a message with its sender, receivers, subject and name", async () => {
    await mail.send(message);
    const [letter = ""] = server.letters;
    assert.match(letter, /^From: Platform <platform@example\.test>/m);
    assert.match(letter, /^To: team@example\.test/m);
    assert.match(letter, /^Subject: \[Acme\] disk is nearly full/m);
    assert.match(letter, /^Message-ID: <e1\.t1@example\.test>/m);
    assert.match(letter, /95 % are used/);
  });

  it("rejects if the server takes no message", async () => {
    server.isOut = true;
    await assert.rejects(mail.send(message), /try again later/);
    server.isOut = false;
  });

  it("a subject cannot add a header", async () => {
    server.letters.length = 0;
    await mail.send({ ...message, subject: "one\r\nBcc: other@example.test" });
    assert.doesNotMatch(server.letters[0] ?? "", /^Bcc:/m);
  });
});
