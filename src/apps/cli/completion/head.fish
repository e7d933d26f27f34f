# fish completion of sinkproof, written by `sinkproof manual`; do not edit.
function __sinkproof_claims
    for folder in proofs /usr/share/sinkproof/proofs /usr/local/share/sinkproof/proofs
        if test -d $folder
            for claim in $folder/*/claim.toml
                basename (dirname $claim)
            end
            break
        end
    end
end
