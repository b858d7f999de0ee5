//! Every proof of every small tree, against a tree that is written down as RFC 6962 defines it.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::log::generate::Plan;
use crate::log::tile::Node;
use crate::log::{Frontier, Tile, leaf_hash};

fn leaf(i: u64) -> Digest {
    leaf_hash(&i.to_be_bytes())
}

fn count(n: u64) -> usize {
    usize::try_from(n).unwrap()
}

fn leaves(size: u64) -> Vec<Digest> {
    (0..size).map(leaf).collect()
}

fn split(leaves: &[Digest]) -> usize {
    let mut k = 1;
    while k * 2 < leaves.len() {
        k *= 2;
    }
    k
}

/// MTH of RFC 6962, section 2.1.
fn naive_root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => empty_root(),
        [one] => *one,
        _ => {
            let (left, right) = leaves.split_at(split(leaves));
            node_hash(&naive_root(left), &naive_root(right))
        }
    }
}

/// PATH of RFC 6962, section 2.1.1.
fn naive_path(m: usize, leaves: &[Digest]) -> Vec<Digest> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let k = split(leaves);
    let (left, right) = leaves.split_at(k);
    let (mut path, other) = if m < k { (naive_path(m, left), right) } else { (naive_path(m - k, right), left) };
    path.push(naive_root(other));
    path
}

/// SUBPROOF of RFC 6962, section 2.1.2.
fn naive_subproof(m: usize, leaves: &[Digest], whole: bool) -> Vec<Digest> {
    if m == leaves.len() {
        return if whole { Vec::new() } else { vec![naive_root(leaves)] };
    }
    let k = split(leaves);
    let (left, right) = leaves.split_at(k);
    let (mut proof, other) =
        if m <= k { (naive_subproof(m, left, whole), right) } else { (naive_subproof(m - k, right, false), left) };
    proof.push(naive_root(other));
    proof
}

/// All tiles of a tree, made as a log makes them: leaf by leaf.
fn tiles(size: u64) -> (Frontier, BTreeMap<Tile, Vec<u8>>) {
    let mut frontier = Frontier::new();
    let mut nodes: BTreeMap<Node, Digest> = BTreeMap::new();
    for index in 0..size {
        nodes.insert(Node { height: 0, index }, leaf(index));
        nodes.extend(frontier.append(leaf(index)));
    }
    let bytes = |tile: Tile| tile.nodes().flat_map(|node| *nodes[&node].as_bytes()).collect();
    (frontier, Tile::all(size).map(|tile| (tile, bytes(tile))).collect())
}

fn head(size: u64) -> Head {
    Head { size, root: naive_root(&leaves(size)) }
}

fn proof(plan: Option<Plan>, mut tiles: BTreeMap<Tile, Vec<u8>>) -> Vec<Digest> {
    plan.unwrap().resolve(&mut tiles).unwrap()
}

#[test]
fn every_leaf_of_every_small_tree_is_included() {
    for size in 0..=70 {
        let (frontier, tiles) = tiles(size);
        let (head, leaves) = (head(size), leaves(size + 2));
        assert_eq!(frontier.head(), head);
        if size > 0 {
            assert_eq!(proof(Plan::root(size), tiles.clone()), [head.root]);
        }
        for index in 0..size {
            let proof = proof(Plan::inclusion(index, size), tiles.clone());
            assert_eq!(proof, naive_path(count(index), &leaves[..count(size)]));
            let at = |index: u64| &leaves[count(index)];
            head.verify_inclusion(index, at(index), &proof).unwrap();
            if size > 20 && !(31..34).contains(&size) && !(63..66).contains(&size) {
                continue;
            }
            // The same proof is good for no other index and no other leaf.
            for other in (0..size + 2).filter(|other| *other != index) {
                assert!(head.verify_inclusion(other, at(index), &proof).is_err());
                assert!(head.verify_inclusion(index, at(other), &proof).is_err());
            }
            mutations(&proof, |bad| head.verify_inclusion(index, at(index), bad).is_err());
        }
        assert!(Plan::inclusion(size, size).is_none());
        assert_eq!(head.verify_inclusion(size, &leaf(size), &[]).unwrap_err().code, INCLUSION_FAILED);
    }
}

#[test]
fn every_pair_of_small_trees_is_consistent() {
    for size in 0..=40 {
        let (_, tiles) = tiles(size);
        let new = head(size);
        for old_size in 0..=size {
            let old = head(old_size);
            let proof = proof(Plan::consistency(old_size, size), tiles.clone());
            if old_size > 0 {
                assert_eq!(proof, naive_subproof(count(old_size), &leaves(size), true));
            }
            new.verify_consistency(&old, &proof).unwrap();
            mutations(&proof, |bad| new.verify_consistency(&old, bad).is_err());
            let forked = Head { root: leaf_hash(b"forked"), ..old };
            assert!(new.verify_consistency(&forked, &proof).is_err());
            if old_size > 0 {
                let forked = Head { root: leaf_hash(b"forked"), ..new };
                assert!(forked.verify_consistency(&old, &proof).is_err());
            }
            if old_size < size {
                assert_eq!(old.verify_consistency(&new, &proof).unwrap_err().code, LOG_ROLLBACK);
            }
        }
        assert!(Plan::consistency(size + 1, size).is_none());
    }
}

/// Hands every proof to `refused` that is `proof` with one thing changed.
fn mutations(proof: &[Digest], refused: impl Fn(&[Digest]) -> bool) {
    let strange = leaf_hash(b"strange");
    for at in 0..=proof.len() {
        let mut longer = proof.to_vec();
        longer.insert(at, strange);
        assert!(refused(&longer), "one more at {at} of {}", proof.len());
        longer[at] = proof.get(at).or(proof.last()).copied().unwrap_or(strange);
        assert!(refused(&longer), "one twice at {at} of {}", proof.len());
    }
    for at in 0..proof.len() {
        let mut shorter = proof.to_vec();
        shorter.remove(at);
        assert!(refused(&shorter), "one less at {at} of {}", proof.len());
        let mut other = proof.to_vec();
        other[at] = strange;
        assert!(refused(&other), "another at {at} of {}", proof.len());
    }
}

#[test]
fn equal_sizes_take_an_empty_proof_and_equal_roots() {
    let (five, extra) = (head(5), [leaf(0)]);
    five.verify_consistency(&five, &[]).unwrap();
    assert_eq!(five.verify_consistency(&five, &extra).unwrap_err().code, CONSISTENCY_FAILED);
    let forked = Head { root: leaf(9), ..five };
    assert_eq!(five.verify_consistency(&forked, &[]).unwrap_err().code, LOG_FORK);
    let empty = Head::empty();
    empty.verify_consistency(&empty, &[]).unwrap();
    five.verify_consistency(&empty, &[]).unwrap();
    assert_eq!(five.verify_consistency(&empty, &extra).unwrap_err().code, CONSISTENCY_FAILED);
}

#[test]
fn sizes_at_the_end_of_the_numbers_do_not_overflow() {
    let root = leaf(1);
    for size in [MAX_SIZE, MAX_SIZE + 1, u64::MAX] {
        let head = Head { size, root };
        for index in [0, 1, size - 1] {
            assert!(head.verify_inclusion(index, &leaf(1), &[leaf(2); 64]).is_err());
        }
        for old in [1, 2, size - 1] {
            assert!(head.verify_consistency(&Head { size: old, root }, &[leaf(2); 64]).is_err());
        }
    }
    assert_eq!(Plan::inclusion(MAX_SIZE - 1, MAX_SIZE).unwrap().tiles().len(), 8);
    assert!(Plan::inclusion(0, u64::MAX).is_none() && Plan::consistency(0, u64::MAX).is_none());
}

#[test]
fn a_damaged_or_missing_tile_gives_no_proof() {
    let (_, tiles) = tiles(300);
    let plan = Plan::inclusion(3, 300).unwrap();
    let mut missing = tiles.clone();
    missing.remove(&Tile::in_tree(300, 0, 0).unwrap());
    assert!(plan.resolve(&mut missing).is_err());
    let mut cut = tiles;
    cut.get_mut(&Tile::in_tree(300, 0, 0).unwrap()).unwrap().pop();
    assert!(plan.resolve(&mut cut).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn larger_trees(size in 1_u64..1500, a in any::<u64>(), b in any::<u64>()) {
        let (frontier, tiles) = tiles(size);
        let head = frontier.head();
        prop_assert_eq!(head.root, naive_root(&leaves(size)));
        let index = a % size;
        let included = proof(Plan::inclusion(index, size), tiles.clone());
        prop_assert_eq!(&included, &naive_path(count(index), &leaves(size)));
        head.verify_inclusion(index, &leaf(index), &included).unwrap();
        mutations(&included, |bad| head.verify_inclusion(index, &leaf(index), bad).is_err());
        let old_size = b % (size + 1);
        let old: Frontier = (0..old_size).map(leaf).collect();
        let joined = proof(Plan::consistency(old_size, size), tiles);
        head.verify_consistency(&old.head(), &joined).unwrap();
        mutations(&joined, |bad| head.verify_consistency(&old.head(), bad).is_err());
    }
}
