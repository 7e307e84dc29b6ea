export { SmtpMail, type SmtpMailOptions } from "./smtp-mail.ts";
