export default function Page() {
  return <main>Pigeonhole</main>
}
