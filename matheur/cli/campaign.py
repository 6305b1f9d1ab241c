"""`matheur campaign`: many runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from matheur.cli.campaign_report import report
from matheur.cli.earlier_options import Command
from matheur.cli.output import JsonOption, check_outputs, print_json
from matheur.errors import ConfigurationError

if TYPE_CHECKING:
    from matheur.campaign import Campaign
    from matheur.campaign.running import Summary

__all__ = ["campaigns"]

campaigns = typer.Typer(help="Make many runs, watch them, and collect their results.", no_args_is_help=True)
campaigns.command("report", cls=Command)(report)

ConfigArgument = Annotated[Path, typer.Argument(help="The campaign, a TOML file.", metavar="CONFIG.toml")]
FolderArgument = Annotated[Path, typer.Argument(help="Folder of the campaign, or its TOML file.", metavar="DIR|CONFIG")]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="Folder of the public data (MATHEUR_DATA).", metavar="DIR")
]
JobsOption = Annotated[int, typer.Option("--jobs", help="Runs at a time.", min=1)]
InstancesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--instances",
        help="Instances in place of those of the file: a folder, a glob, a file, a built-in name.",
        metavar="FOLDER|GLOB",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="A dotted setting over the file: base.seconds=5, seeds=2.", metavar="K=V"),
]


def _check_executor(name: str, scheduler: str | None, *, lists: bool = True) -> None:
    from matheur.campaign.running import EXECUTORS

    known = EXECUTORS if lists else EXECUTORS[:2]
    if name not in known:
        raise ConfigurationError(f"unknown executor '{name}'. Maybe one of: {', '.join(known)}.")
    if scheduler is not None and name != "dask":
        raise ConfigurationError("--scheduler needs the executor dask. Maybe --executor dask?")


@campaigns.command("run", cls=Command)
def run(
    config: ConfigArgument,
    out: Annotated[Path | None, typer.Option(help="Folder of the results; CONFIG.campaign by default.")] = None,
    jobs: JobsOption = 1,
    executor: Annotated[str, typer.Option(help="processes, dask, or list (one command a line, for job arrays).")] = (
        "processes"
    ),
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.", metavar="ADDRESS")] = None,
    data: DataOption = None,
    size: Annotated[str | None, typer.Option(help="A table of `sizes` in the file: smoke, bench, full.")] = None,
    only: Annotated[str | None, typer.Option(help="Variants to run, separated by commas.", metavar="A,B")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Repeat failed runs.")] = False,
    any_code: Annotated[bool, typer.Option("--any-code", help="Accept results of other versions of the code.")] = False,
    instances: InstancesOption = None,
    set_: SetOption = None,
    json: JsonOption = False,
) -> int:
    """Make the runs that are left. Repeat the command to continue after an interrupt, a crash or a kill.

    Exit code 1 if a run has failed, also in an earlier call.

    Example: matheur campaign run campaign.toml --jobs 2
    """
    from matheur.campaign import Store, make_plan, read_campaign
    from matheur.campaign.running import adopt, run_campaign, write_list
    from matheur.cli.campaign_display import RunDisplay
    from matheur.engine import Interrupt

    _check_executor(executor, scheduler)
    campaign = read_campaign(config, set_ or (), size=size, instances=instances or ())
    if only is not None:
        campaign = replace(campaign, only=tuple(name.strip() for name in only.split(",")))
    plan = make_plan(campaign, data)
    folder = campaign.out if out is None else out
    if any_code:
        plan = adopt(plan, Store(folder))
    if executor == "list":
        path = write_list(plan, Store(folder), retry_failed=retry_failed)
        lines = path.read_bytes().count(b"\n")
        if json:
            print_json({"folder": str(folder), "list": str(path), "runs": len(plan.keys), "left": lines})
        else:
            typer.echo(f"{lines} of {len(plan.keys)} runs are left; one command for each in {path}")
        return 0
    with Interrupt() as interrupt, RunDisplay(plan, folder, quiet=json) as display:
        summary = run_campaign(
            plan,
            folder,
            executor=executor,
            jobs=jobs,
            scheduler=scheduler,
            retry_failed=retry_failed,
            interrupt=interrupt,
            on_made=display.made,
            on_tick=display.tick,
        )
    left = len(plan.keys) - summary.there - summary.done - summary.failed
    if json:
        names = ("planned", "there", "done", "failed", "failed_before", "interrupted")
        facts = {name: getattr(summary, name) for name in names}
        print_json({"folder": str(folder), **facts, "left": left})
    else:
        display.say(summary, left - summary.failed_before)
    return 130 if summary.interrupted else int(summary.failed + summary.failed_before > 0)


@campaigns.command("tune", cls=Command)
def tune(
    config: ConfigArgument,
    preset: Annotated[
        Path, typer.Option("--preset", help="File for the tuned options, to be used with --config.", metavar="FILE")
    ],
    out: Annotated[Path | None, typer.Option(help="Folder of the runs; CONFIG-tune.campaign by default.")] = None,
    jobs: JobsOption = 1,
    executor: Annotated[str, typer.Option(help="processes or dask.")] = "processes",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.", metavar="ADDRESS")] = None,
    data: DataOption = None,
    size: Annotated[str | None, typer.Option(help="A table of `sizes` in the file.")] = None,
    only: Annotated[str | None, typer.Option(help="The variant to tune.", metavar="NAME")] = None,
    instances: InstancesOption = None,
    set_: SetOption = None,
    json: JsonOption = False,
) -> int:
    """Search for better options in the ranges of the table `tune`, by campaigns of candidates. Repeat it to continue.

    Example: matheur campaign tune tune.toml --preset tuned.toml --jobs 2
    """
    from matheur.campaign import make_plan, read_campaign
    from matheur.campaign.running import run_campaign
    from matheur.campaign.tuning import tune as search
    from matheur.campaign.tuning import write_preset
    from matheur.cli.campaign_display import show_candidates
    from matheur.engine import Interrupt

    _check_executor(executor, scheduler, lists=False)
    check_outputs({"--preset": preset}, {"the campaign": config})
    campaign = read_campaign(config, set_ or (), size=size, instances=instances or ())
    if only is not None:
        campaign = replace(campaign, only=(only,))
    folder = campaign.out.with_name(f"{campaign.out.stem}-tune.campaign") if out is None else out
    with Interrupt() as interrupt:

        def run_trial(trial: Campaign) -> Summary:
            plan = make_plan(trial, data)
            return run_campaign(
                plan, folder, executor=executor, jobs=jobs, scheduler=scheduler, retry_failed=False, interrupt=interrupt
            )

        found = search(campaign, folder, run_trial, on_round=None if json else show_candidates)
    ended = not found.interrupted
    if ended:
        write_preset(found, campaign, preset)
    if json:
        rows = [{"name": one.name, "values": one.values, "criterion": one.criterion, "seeds": one.seeds}
                for one in found.candidates]  # fmt: skip
        best = {"preset": str(preset) if ended else None, "best": found.best.name if ended else None}
        print_json({**best, "folder": str(folder), "candidates": rows, "interrupted": found.interrupted})
    elif ended:
        typer.echo(f"best: {found.best.name}; its options are in {preset}")
    else:
        typer.echo("interrupted; the same command continues")
    return 0 if ended else 130


@campaigns.command("status", cls=Command)
def status(
    campaign: FolderArgument,
    failures: Annotated[bool, typer.Option("--failures", help="List the failed runs with their reasons.")] = False,
    json: JsonOption = False,
) -> int:
    """Say what is done, running, failed and left, and for how long."""
    from matheur.campaign.status import read_status
    from matheur.cli.campaign_display import show_status

    found = read_status(campaign)
    if json:
        print_json(found.to_dict())
    else:
        show_status(found, failures=failures)
    return 0


@campaigns.command("watch", cls=Command)
def watch(
    campaign: FolderArgument,
    every: Annotated[float, typer.Option(help="Seconds between two updates.", min=0.2)] = 2.0,
) -> int:
    """Show a campaign while it runs, until nothing is left or Ctrl-C."""
    from matheur.cli.campaign_display import watch_campaign
    from matheur.engine import Interrupt

    with Interrupt() as interrupt:
        watch_campaign(campaign, every, interrupt)
        return 130 if interrupt() else 0


@campaigns.command("collect", cls=Command)
def collect(
    campaign: FolderArgument,
    others: Annotated[
        list[Path] | None, typer.Option("--from", help="A folder of results from another machine.", metavar="DIR")
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="List failed runs again.")] = False,
    json: JsonOption = False,
) -> int:
    """Collect what a job array has made, and list the runs that are left."""
    from matheur.campaign import folder_of
    from matheur.campaign.collecting import collect as bring

    folder = folder_of(campaign)
    found = bring(folder, others or (), retry_failed=retry_failed)
    if json:
        print_json({"folder": str(folder), **found.to_dict()})
    else:
        typer.echo(f"{found.done} of {found.runs} done ({found.taken} taken over), {found.failed} failed", nl=False)
        typer.echo(f", {found.missing} missing; commands of what is left in {folder / 'runs.txt'}")
        for path in found.damaged:
            typer.echo(f"damaged: {path}", err=True)
    return 0


@campaigns.command("execute", hidden=True)
def execute(folder: Path, key: str) -> int:
    """Make one run of a plan: what a line of `runs.txt` does. Exit code 1 if it fails."""
    from matheur.campaign import Store
    from matheur.campaign.collecting import order_of
    from matheur.campaign.supervision import supervise
    from matheur.engine import Interrupt

    order = order_of(folder, key)
    Store(folder).prepare()  # a copy may lack empty folders
    with Interrupt() as interrupt:
        answer = supervise(str(folder), order.to_dict(), interrupt=interrupt)
    typer.echo(f"{key} {answer['outcome']} {answer.get('reason', '')}".rstrip())
    return {"done": 0, "there": 0, "failed": 1}.get(answer["outcome"], 130)
