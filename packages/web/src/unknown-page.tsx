export default function UnknownPage() {
  return (
    <main class="page">
      <h1>There is no such page</h1>
      <p>
        The address leads nowhere. <a href="/">Go to what is happening now.</a>
      </p>
    </main>
  );
}
