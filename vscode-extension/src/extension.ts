/** Thin: starts the server, passes commands on, shows its status. What is shown is the server's business. */

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import { Status, StatusItem } from "./status";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = new StatusItem();
  const output = vscode.window.createOutputChannel("Tiercel", { log: true });
  context.subscriptions.push(status, output);
  register(context, "tiercel.showOutput", () => output.show());
  register(context, "tiercel.restart", async () => {
    await client?.stop();
    await start(status, output);
  });
  register(context, "tiercel.verifyCurrentFunction", () => {
    const editor = vscode.window.activeTextEditor;
    return editor && send("tiercel.verifyFunction", editor.document.uri.toString(), editor.selection.active.line);
  });
  register(context, "tiercel.verifyCurrentFile", () => {
    const editor = vscode.window.activeTextEditor;
    return editor && send("tiercel.verifyFile", editor.document.uri.toString());
  });
  register(context, "tiercel.verifyWholeWorkspace", () => send("tiercel.verifyWorkspace"));
  register(context, "tiercel.stop", () => send("tiercel.cancel"));
  register(context, "tiercel.forgetVerdicts", () => send("tiercel.clearCache"));
  context.subscriptions.push(vscode.window.onDidChangeTextEditorVisibleRanges(tellVisible));
  await start(status, output);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(status: StatusItem, output: vscode.LogOutputChannel): Promise<void> {
  const command = vscode.workspace.getConfiguration("tiercel").get<string>("path", "tiercel");
  const server: ServerOptions = { command, args: ["server", "--stdio"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "c" }],
    outputChannel: output,
    initializationOptions: given(),
  };
  client = new LanguageClient("tiercel", "Tiercel", server, options);
  client.onNotification("tiercel/status", (told: Status) => status.show(told));
  try {
    await client.start();
  } catch (failure) {
    status.failed(`${command} server could not be started: ${String(failure)}`);
  }
}

/** The settings that are needed before the server asks for them. */
function given(): Record<string, unknown> {
  const jobs = vscode.workspace.getConfiguration("tiercel").get<number | null>("jobs");
  return jobs ? { jobs } : {};
}

function tellVisible(event: vscode.TextEditorVisibleRangesChangeEvent): void {
  const document = event.textEditor.document;
  if (client?.isRunning() && document.languageId === "c") {
    const ranges = event.visibleRanges.map((range) => ({ start: range.start, end: range.end }));
    void client.sendNotification("tiercel/visibleRanges", { textDocument: { uri: document.uri.toString() }, ranges });
  }
}

async function send(command: string, ...given: unknown[]): Promise<unknown> {
  return client?.sendRequest("workspace/executeCommand", { command, arguments: given });
}

function register(context: vscode.ExtensionContext, name: string, action: () => unknown): void {
  context.subscriptions.push(vscode.commands.registerCommand(name, action));
}
