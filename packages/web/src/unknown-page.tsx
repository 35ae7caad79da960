export default function UnknownPage() {
  return (
    <main class="page">
      <h1>There is no such page</h1>
      <p>
        This address does not exist. <a href="/">Go to the start page.</a>
      </p>
    </main>
  );
}
