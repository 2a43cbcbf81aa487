// A call as a program with Dapr's Go SDK.
import type { Entry } from "../entry";
import { raw } from "./gotest";
import { requestIn, sessionHeader, type Context } from "./request";
import { comments } from "./rules";
import { json, quote } from "./text";

export function goClient(entry: Entry, context: Context): string {
  const { body, notes } = requestIn(entry, context);
  const isAlpha1 = entry.api === "alpha1";
  const all = [...notes, ...(entry.stream ? ["Dapr's SDK has no streams: this asks for the whole answer."] : [])];
  return `package main

import (
${imports(entry, context)})

${comments(all, "//")}const body = ${raw(json({ name: entry.component, ...body }, 2))}

func main() {
	client, err := dapr.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	var request runtime.ConversationRequest${isAlpha1 ? "" : "Alpha2"}
	if err := protojson.Unmarshal([]byte(body), &request); err != nil {
		log.Fatal(err)
	}
${contextOf(entry, context)}	response, err := client.GrpcClient().Converse${isAlpha1 ? "Alpha1" : "Alpha2"}(ctx, &request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(protojson.Format(response))
}
`;
}

function imports(entry: Entry, context: Context): string {
  const standard = ["context", "fmt", "log", ...(context.hasToken ? ["os"] : [])].map((path) => `\t"${path}"\n`);
  const others = [
    'runtime "github.com/dapr/dapr/pkg/proto/runtime/v1"',
    'dapr "github.com/dapr/go-sdk/client"',
    ...(hasHeaders(entry, context) ? ['"google.golang.org/grpc/metadata"'] : []),
    '"google.golang.org/protobuf/encoding/protojson"',
  ];
  return `${standard.join("")}\n${others.map((line) => `\t${line}\n`).join("")}`;
}

function hasHeaders(entry: Entry, context: Context): boolean {
  return context.hasToken === true || sessionHeader(entry, context) !== undefined;
}

function contextOf(entry: Entry, context: Context): string {
  const session = sessionHeader(entry, context);
  const pairs = [
    ...(session === undefined ? [] : [`"mynah-session", ${quote(session)}`]),
    ...(context.hasToken ? ['"dapr-api-token", os.Getenv("DAPR_API_TOKEN")'] : []),
  ];
  if (pairs.length === 0) return "\tctx := context.Background()\n";
  return `\tctx := metadata.AppendToOutgoingContext(context.Background(), ${pairs.join(", ")})\n`;
}
