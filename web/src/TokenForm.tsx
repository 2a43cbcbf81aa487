import { setToken, token } from "./live/token";

/** Asks for the token that mynah was started with. */
export function TokenForm({ onToken }: { onToken: () => void }) {
  const submit = (event: Event) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem("token") as HTMLInputElement;
    setToken(input.value.trim());
    onToken();
  };
  return (
    <form class="empty" onSubmit={submit}>
      <h2>This mynah needs a token</h2>
      {token() !== "" && <p class="problem" role="alert">✕ mynah does not accept this token.</p>}
      <p>Enter the value of <code>DAPR_API_TOKEN</code>. It stays in this tab.</p>
      <p class="line">
        <input name="token" type="password" aria-label="API token" autocomplete="off" required autoFocus />
        <button class="primary">Connect</button>
      </p>
    </form>
  );
}
