import { i18n } from "../../i18n.ts";

/** What identity providers say in English, and what the console says in its place. */
const texts: Readonly<Record<string, string>> = {
  // Ory Kratos.
  "Authentication code": i18n.t("Code of the authenticator app"),
  "Authenticator app QR code": i18n.t("Picture for the authenticator app"),
  "Backup recovery code": i18n.t("Recovery code"),
  "Confirm backup recovery codes": i18n.t("I have stored the codes"),
  "Disable this method": i18n.t("Remove the recovery codes"),
  "Generate new backup recovery codes": i18n.t("Make new recovery codes"),
  "Please complete the second authentication challenge.": i18n.t("Enter your second factor."),
  "Please confirm this action by verifying that it is you.": i18n.t("Sign in again to confirm that it is you."),
  "Resend code": i18n.t("Send the code again"),
  "Reveal backup recovery codes": i18n.t("Show the recovery codes"),
  Save: i18n.t("Save"),
  "Sign up": i18n.t("Create the account"),
  "The provided authentication code is invalid, please try again.": i18n.t("The code is not valid. Try again."),
  "The provided credentials are invalid, check for spelling mistakes in your password or username, email address, or phone number.":
    i18n.t("The provided credentials are invalid. Check the address and the password."),
  "These are your back up recovery codes. Please keep them in a safe place!": i18n.t(
    "Your recovery codes. Store them now, in a safe place.",
  ),
  "This is your authenticator app secret. Use it if you can not scan the QR code.": i18n.t(
    "The secret for the authenticator app, if you cannot scan the picture",
  ),
  "Unlink TOTP Authenticator App": i18n.t("Remove the authenticator app"),
  "Unlink TOTP authenticator app": i18n.t("Remove the authenticator app"),
  "Use Authenticator": i18n.t("Use the authenticator app"),
  "Use backup recovery code": i18n.t("Use the recovery code"),
  "Verification code": i18n.t("Code from the e-mail"),
  "Verify code": i18n.t("Code that the app shows"),
  "Your changes have been saved!": i18n.t("Your changes have been saved!"),
  // The accounts of the platform.
  "Add a passkey": i18n.t("Add a passkey"),
  "Change the password": i18n.t("Change the password"),
  "Code of the authenticator app": i18n.t("Code of the authenticator app"),
  "Code that the app shows": i18n.t("Code that the app shows"),
  "Codes that are left": i18n.t("Codes that are left"),
  Confirm: i18n.t("Confirm"),
  Continue: i18n.t("Continue"),
  "Create the account": i18n.t("Create the account"),
  "E-mail": i18n.t("E-mail"),
  Email: i18n.t("E-mail"),
  "E-mail address": i18n.t("E-mail address"),
  "End all other sessions": i18n.t("End all other sessions"),
  "First name": i18n.t("First name"),
  "Last name": i18n.t("Last name"),
  "Make new recovery codes": i18n.t("Make new recovery codes"),
  Name: i18n.t("Name"),
  "Name of the passkey": i18n.t("Name of the passkey"),
  "New password": i18n.t("New password"),
  Password: i18n.t("Password"),
  "Recovery code": i18n.t("Recovery code"),
  "Remove the authenticator app": i18n.t("Remove the authenticator app"),
  "Scan this picture with the authenticator app": i18n.t("Scan this picture with the authenticator app"),
  "Send a link": i18n.t("Send a link"),
  "Set the password": i18n.t("Set the password"),
  "Set up an authenticator app": i18n.t("Set up an authenticator app"),
  "Sign in": i18n.t("Sign in"),
  "Sign in with a passkey": i18n.t("Sign in with a passkey"),
  "They are shown this once. Store them now": i18n.t("They are shown this once. Store them now"),
  "This session": i18n.t("This session"),
  "Use a passkey": i18n.t("Use a passkey"),
  "Use the recovery code": i18n.t("Use the recovery code"),
  "Your name": i18n.t("Your name"),
};

/** Returns a text of the identity provider in the words and the language of the console, as far as it has them. */
export function providerText(text: string): string {
  return Object.hasOwn(texts, text) ? (texts[text] ?? text) : text;
}
