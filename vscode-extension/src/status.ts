/** The status bar's item: what the server is doing. */

import * as vscode from "vscode";

/** The parameters of `tiercel/status` (docs/lsp.md). */
export interface Status {
  state: "idle" | "compiling" | "verifying";
  running: string[];
  done: number;
  total: number;
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left, 0);

  constructor() {
    this.item.name = "Tiercel";
    this.item.command = "tiercel.showOutput";
    this.say("starting…", true);
    this.item.show();
  }

  show(status: Status): void {
    if (status.state === "verifying") {
      this.say(`${status.done}/${status.total} ${status.running[0] ?? ""}`.trimEnd(), true);
    } else {
      this.say("", status.state === "compiling");
    }
  }

  failed(reason: string): void {
    this.item.text = "$(error) Tiercel";
    this.item.tooltip = reason;
  }

  dispose(): void {
    this.item.dispose();
  }

  private say(text: string, busy: boolean): void {
    this.item.text = `${busy ? "$(sync~spin)" : "$(verified)"} Tiercel${text ? ` ${text}` : ""}`;
    this.item.tooltip = busy ? "Tiercel is verifying" : "Tiercel: all that is open is verified";
  }
}
